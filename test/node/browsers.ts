/**
 * People who look at everything, again and again, and make a project now and then: what goes to the database without an actor
 * in between. Each answer is a success, or says when to come back.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { OperationId } from '../../protocol/operations/table.ts';
import type { Asked, Client } from './client.ts';
import type { Tenant } from './tenant.ts';

/** Between a refusal and the next request: more often than a client should, to see more. */
const restMs = 50;

export class Browsers {
  answers = 0;
  /** Answers 503, by operation. */
  readonly unavailable = new Map<OperationId, number>();
  /** Names of projects that were acknowledged, and of those whose first request is still in progress. */
  readonly projects: string[] = [];
  readonly undecided: string[] = [];
  #running: Promise<unknown>;
  #stopped = false;
  #waits: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor(tenant: Tenant, threadId: string) {
    const { person, key, projectId, workspaceId, channelId } = tenant;
    const inProject: Asked = { query: { projectId } };
    const looks: readonly [Client, OperationId, Asked][] = [
      [key, 'getThread', { params: { threadId } }],
      [key, 'listThreads', inProject],
      [key, 'listMessages', { params: { threadId } }],
      [key, 'getChannel', { params: { channelId } }],
      [key, 'listChannelCommands', { params: { channelId } }],
      [key, 'listStitches', inProject],
      [key, 'listDeliveries', inProject],
      [key, 'listEvents', inProject],
      [person, 'getThread', { params: { threadId } }],
      [person, 'listApiKeys', inProject],
      [person, 'listStreamEvents', { params: { projectId } }],
      [person, 'me', {}],
      [person, 'listWorkspaces', {}],
      [person, 'listEnvironments', {}],
    ];
    const tours = [this.#tour(looks), this.#tour(looks.toReversed()), this.#found(person, workspaceId)];
    this.#running = Promise.all(tours);
    this.#running.catch(() => undefined);
  }

  get refusals(): number {
    let sum = 0;
    for (const count of this.unavailable.values()) sum += count;
    return sum;
  }

  /** Resolves after that many more answers 503; rejects when an answer was neither that nor a success. */
  async refused(count: number): Promise<void> {
    const target = this.refusals + count;
    const enough = new Promise<void>(resolve => this.#waits.push({ count: target, resolve }));
    await Promise.race([this.#running, enough]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #tour(looks: readonly [Client, OperationId, Asked][]): Promise<void> {
    while (!this.#stopped) {
      for (const [client, id, asked] of looks) await this.#ask(client, id, asked);
    }
  }

  async #found(person: Client, workspaceId: string): Promise<void> {
    while (!this.#stopped) {
      const name = randomUUID();
      let status = 503;
      while (status === 503)
        status = await this.#ask(person, 'createProject', { body: { workspaceId, name }, key: name });
      if (status === 201) this.projects.push(name);
      else this.undecided.push(name);
    }
  }

  async #ask(client: Client, id: OperationId, asked: Asked): Promise<number> {
    const { status, text } = await client.ask(id, asked);
    this.answers++;
    if (status < 300 || (status === 409 && id === 'createProject')) return status;
    if (status !== 503) throw new Error(`${id} answered ${status} ${text}`);
    this.unavailable.set(id, (this.unavailable.get(id) ?? 0) + 1);
    this.#waits = this.#waits.filter(({ count, resolve }) => {
      if (this.refusals < count) return true;
      resolve();
      return false;
    });
    await pause(restMs);
    return status;
  }
}
