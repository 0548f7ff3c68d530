/** What a command works with: its options, its output, and the clients of its credential. */
import { hostname } from 'node:os';
import { Skein, type Attempt, type ClientOptions } from '../sdk/index.ts';
import { defaultBaseUrl, findCredential, type Credential, type CredentialOptions } from './credentials.ts';
import { CliError, exitCodes } from './failures.ts';
import { Output } from './output.ts';
import { createLoginRequired, getAccessToken } from './sessions.ts';

/** The options of every command. */
export interface GlobalOptions extends CredentialOptions {
  readonly json?: boolean | undefined;
  readonly verbose?: boolean | undefined;
}

export class Context {
  readonly options: GlobalOptions;
  readonly version: string;
  readonly output: Output;
  /** The server that was asked, for errors. */
  baseUrl: string;
  #credential: Promise<Credential> | undefined;

  constructor(options: GlobalOptions, version: string) {
    this.options = options;
    this.version = version;
    this.output = new Output(options.json === true);
    this.baseUrl = options.baseUrl ?? defaultBaseUrl;
  }

  getCredential(): Promise<Credential> {
    this.#credential ??= findCredential(this.options).then(credential => {
      this.baseUrl = credential.baseUrl;
      return credential;
    });
    return this.#credential;
  }

  /** For daily work: by the key, else by the sign-in. */
  async connect(): Promise<Skein> {
    const credential = await this.getCredential();
    checkServer(credential);
    if (credential.apiKey === undefined) return this.connectSignedIn();
    return this.#create(credential, credential.apiKey);
  }

  /** For what keys never reach. */
  async connectSignedIn(): Promise<Skein> {
    const credential = await this.getCredential();
    checkServer(credential);
    if (!credential.isSignedIn) {
      throw createLoginRequired(
        credential.source === 'environment'
          ? 'This needs a sign-in: no API key may do it, and SKEIN_API_KEY is one.'
          : 'You are not signed in.',
      );
    }
    const anonymous = this.connectAnonymously(credential.baseUrl);
    return this.#create(credential, () => getAccessToken(credential.profileName, anonymous));
  }

  /** Without a credential. */
  connectAnonymously(baseUrl: string, apiKey: ClientOptions['apiKey'] = null): Skein {
    this.baseUrl = baseUrl;
    return new Skein({ apiKey, baseUrl, ...this.#getClientOptions() });
  }

  #create({ baseUrl, projectId, environmentId }: Credential, apiKey: ClientOptions['apiKey']): Skein {
    return new Skein({ apiKey, baseUrl, projectId, environmentId, ...this.#getClientOptions() });
  }

  #getClientOptions(): ClientOptions {
    return {
      headers: { 'user-agent': `skein-cli/${this.version} (${hostname()})` },
      maxWaitMs: 30_000,
      onAttempt: this.options.verbose === true ? attempt => this.#report(attempt) : undefined,
    };
  }

  /** It knows no secret, so none can get into it. */
  #report({ operationId, attempt, status, requestId, ms, error }: Attempt): void {
    const result = status ?? error?.kind ?? 'no answer';
    this.output.say(`${operationId} try ${attempt}: ${result} ${requestId ?? '-'} ${Math.round(ms)} ms`);
  }
}

/** @throws {CliError} the credential is another server's */
function checkServer({ baseUrl, boundTo, profileName }: Credential): void {
  if (boundTo === undefined) return;
  throw new CliError(
    `Profile ${profileName} is of ${boundTo}: its credentials are not sent to ${baseUrl}.`,
    exitCodes.usage,
    `\`skein login --base-url ${baseUrl} --profile NAME\` makes a profile there; SKEIN_API_KEY goes to any server.`,
  );
}

/** A signal for commands that run until Ctrl-C, which is how they end well. */
export function createInterruptSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = (exitCode: number): void => {
    // The launcher and the terminal both pass the signal on: the first counts.
    process.exitCode ??= exitCode;
    controller.abort();
  };
  process.on('SIGINT', () => stop(exitCodes.interrupted));
  process.on('SIGTERM', () => stop(143));
  return controller.signal;
}
