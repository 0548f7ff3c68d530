/** The project and the environment that a client calls for: its options, or what its key belongs to. */
import { takesProjectInPath, type Operation, type RequestInput } from './operation.ts';

/** As the options give them, or as `GET /caller` does. */
export interface TenantIds {
  readonly projectId?: string | null | undefined;
  readonly environmentId?: string | null | undefined;
}

/** Fills in the ids that a call leaves out. */
export class Tenant {
  readonly #configured: TenantIds;
  readonly #askCaller: () => Promise<TenantIds>;
  #caller: Promise<TenantIds> | undefined;

  /** @param askCaller who the credential is; asked once, when a call needs what the client was not told */
  constructor(configured: TenantIds, askCaller: () => Promise<TenantIds>) {
    this.#configured = configured;
    this.#askCaller = askCaller;
  }

  /**
   * The input with the client's ids where the operation takes them and the caller gave none. What the server can tell by the key itself is
   * left out.
   */
  async complete(operation: Operation, input: RequestInput): Promise<RequestInput> {
    const { project, environment } = operation;
    const { projectId, environmentId } = this.#configured;
    const place = operation.input === 'body' ? 'body' : 'query';
    const fields: Record<string, unknown> = { ...(input[place] as object | undefined) };
    if (project) fields['projectId'] ??= project === 'required' ? await this.getProjectId() : projectId;
    if (environment) fields['environmentId'] ??= environmentId;
    const { params } = input;
    const isMissing = takesProjectInPath(operation) && params?.['projectId'] === undefined;
    return {
      ...input,
      [place]: fields,
      params: isMissing ? { ...params, projectId: await this.getProjectId() } : params,
    };
  }

  /** @throws {TypeError} the client was not told, and the credential belongs to none */
  async getProjectId(): Promise<string> {
    const projectId = this.#configured.projectId ?? (await this.#getCaller()).projectId;
    if (projectId === undefined || projectId === null) {
      throw new TypeError('Skein: projectId is missing: give it to the client or to the call');
    }
    return projectId;
  }

  #getCaller(): Promise<TenantIds> {
    this.#caller ??= this.#askCaller().catch((error: unknown) => {
      // The next call asks again.
      this.#caller = undefined;
      throw error;
    });
    return this.#caller;
  }
}
