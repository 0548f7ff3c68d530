/** The owner of the stitches, who makes, changes, stops and restores them while events flow, sends tests, and replays. */
import { ServiceError } from '../../protocol/errors.ts';
import { systemActor } from '../../actors/base/tenancy.ts';
import type { Random } from '../../runtime/time/clock.ts';
import { environmentId } from './delivery-tables.ts';
import type { Fleet } from './fleet.ts';
import { beginning } from './machine.ts';
import { stitches, stitchRef } from './stitches.ts';
import { toUrl } from './webhook-endpoint.ts';

/** What a stitch may want: names, and a pattern. */
const filters: readonly (readonly string[])[] = [
  ['conversation.posted'],
  ['conversation.nudged', 'conversation.woken'],
  ['conversation.*'],
  [],
];

const minPauseMs = 400;
const maxPauseMs = 2_500;
const maxTries = 40;

export class StitchOwner {
  readonly #fleet: Fleet;
  readonly #random: Random;
  readonly #running: Promise<unknown>;
  #stopped = false;
  #isBusy = true;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
    this.#random = fleet.simulation.random('stitch owner');
    this.#running = this.#run();
  }

  /** Whether a command is under way. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  stop(): void {
    this.#stopped = true;
  }

  get done(): Promise<unknown> {
    return this.#running;
  }

  async #run(): Promise<void> {
    const { schedule } = this.#fleet.simulation;
    await Promise.all(stitches.map(stitch => this.#create(stitch)));
    this.#isBusy = false;
    while (!this.#stopped) {
      await schedule.sleep(minPauseMs + this.#random.next() * (maxPauseMs - minPauseMs));
      if (this.#stopped) return;
      this.#isBusy = true;
      await this.#act();
      this.#isBusy = false;
    }
  }

  async #create({ id, projectId, wants }: (typeof stitches)[number]): Promise<void> {
    await this.#fleet.simulation.schedule.sleep(this.#random.next() * 1_500);
    await this.#command(id, 'create', {
      projectId,
      environmentId,
      environmentKind: projectId === stitches[0]?.projectId ? 'sandbox' : 'production',
      name: wants,
      webhookUrl: toUrl(id),
      eventNames: wants === 'all' ? [] : filters[0],
      metadata: {},
      jwe: 'sealed',
      limit: stitches.length,
    });
  }

  async #act(): Promise<void> {
    const { id, projectId } = this.#pick(stitches);
    const tenancy = { projectId, environmentId };
    const change = (changes: object): Promise<void> =>
      this.#command(id, 'update', { ...tenancy, author: systemActor, changes });
    const dice = this.#random.next();
    if (dice < 0.35) return change({ eventNames: this.#pick(filters) });
    if (dice < 0.5) return change({ status: 'disabled' });
    if (dice < 0.7) return change({ status: 'active' });
    if (dice < 0.75) return this.#command(id, 'archive', tenancy);
    if (dice < 0.82) return change({ archived: false });
    if (dice < 0.88) return this.#command(id, 'test', { ...tenancy, author: systemActor });
    if (dice < 0.94) return this.#replay(id, projectId);
    return this.#replaySpan(id, projectId);
  }

  /** Delivers again what a stitch of the project was to deliver until a while ago. */
  async #replaySpan(id: string, projectId: string): Promise<void> {
    const { schedule } = this.#fleet.simulation;
    const now = beginning + schedule.now;
    const source = this.#pick(stitches.filter(each => each.projectId === projectId));
    await this.#command(id, 'replaySpan', {
      projectId,
      environmentId,
      sourceStitchId: source.id,
      since: new Date(this.#random.next() < 0.5 ? 0 : now - 5_000).toISOString(),
      until: new Date(now + 1).toISOString(),
      eventNames: this.#pick(filters),
      statuses: this.#random.next() < 0.7 ? [] : ['failed', 'cancelled'],
    });
  }

  /** Delivers one event of the log again. */
  async #replay(id: string, projectId: string): Promise<void> {
    const log = this.#fleet.simulation.database.events.get(projectId) ?? [];
    const event = log[Math.floor(this.#random.next() * log.length)];
    if (event === undefined) return;
    const { eventId, seq, eventName, occurredAt, threadId } = event;
    await this.#command(id, 'replay', {
      projectId,
      environmentId,
      event: { eventId, eventSeq: seq, eventName, eventAt: occurredAt.toISOString(), threadId },
    });
  }

  /** Asks until it is done, or refused. A request whose answer was lost may be carried out twice: each does no harm. */
  async #command(id: string, command: string, payload: object): Promise<void> {
    const { schedule, tell } = this.#fleet.simulation;
    for (let tries = 1; tries <= maxTries; tries++) {
      const { open } = this.#fleet;
      const member = open[Math.floor(this.#random.next() * open.length)];
      const answer = member === undefined ? 'no node' : await this.#ask(member, id, command, payload);
      tell.call(this.#fleet.simulation, () => `${command} ${JSON.stringify(payload)} of ${id}: ${answer}`);
      if (answer === 'done' || answer === 'refused') return;
      await schedule.sleep(100 + this.#random.next() * 400);
    }
  }

  #ask(member: Fleet['members'][number], id: string, command: string, payload: object): Promise<string> {
    const { schedule, verdict } = this.#fleet.simulation;
    return new Promise(resolve => {
      const settle = (answer: string): void => {
        timer.cancel();
        forget();
        resolve(answer);
      };
      const timer = schedule.after(4_000, () => settle('no answer'));
      const forget = member.onDeath(() => settle('no answer'));
      member.machine.run(() => {
        member.command(stitchRef(id), command, payload).then(
          () => settle('done'),
          (error: unknown) => {
            if (!(error instanceof ServiceError)) {
              verdict.broken(
                'nothing fails that nobody broke',
                `${command} was rejected with ${String(error)}`,
              );
              return settle('refused');
            }
            const isFinal =
              error.code !== 'svc/runtime/unavailable' && error.code !== 'svc/runtime/internal_error';
            settle(isFinal ? 'refused' : error.code);
          },
        );
      });
    });
  }

  #pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random.next() * all.length)] as T;
  }
}
