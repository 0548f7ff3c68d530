/** Who is on the socket, and by what right. */
export interface Admission {
  readonly projectId: string;
  /** The only environment it may see (API keys); undefined: all of the project's. */
  readonly environmentId: string | undefined;
  /** A user with a membership, or else an API key. */
  readonly userId: string | undefined;
  readonly apiKeyId: string | undefined;
  /** The Studio session behind a user's token or ticket. */
  readonly sessionId: string | undefined;
  /** Epoch milliseconds at which the credential expires by itself; Infinity if it does not. */
  readonly expiresAt: number;
}
