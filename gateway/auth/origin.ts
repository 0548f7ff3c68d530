/** Where a request comes from, as far as its credential is concerned. */
export interface Origin {
  /** Worked out when it is read. */
  readonly address: string;
  /** Pays for the look-up of a credential that this node does not know: throws or rejects where that is refused. */
  toll?(): void | Promise<void>;
}
