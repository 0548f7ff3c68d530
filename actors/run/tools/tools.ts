/**
 * Calls tools over HTTP, in the node's pool: see `Tools`. Of a call's attempts each is committed by the run before it is made; the
 * first is, when the order comes.
 */
import { notFound } from '../../../protocol/errors.ts';
import type { ToolTest } from '../../../protocol/resources/tool.ts';
import { backoffMs } from '../../../runtime/backoff.ts';
import type { Clock, Random } from '../../../runtime/clock.ts';
import type { Log } from '../../../runtime/log.ts';
import { pauseUnless } from '../../../runtime/pause.ts';
import type { OutboundRequest, OutboundResult } from '../../../runtime/pool/messages.ts';
import { PoolClosed, PoolOverloaded } from '../../../runtime/pool/pool.ts';
import { WorkerLost } from '../../../runtime/pool/session.ts';
import { ToolCircuit } from '../../../storage/agents/tool-circuit.ts';
import { toolHeadersContext, toolSigningContext } from '../../../storage/agents/tools.ts';
import type { Database } from '../../../storage/database.ts';
import type { Place } from '../../../storage/reads/place.ts';
import { callableTool, type CallableTool } from '../../../storage/reads/tools.ts';
import type { CallOutcome } from '../commands.ts';
import { beginWithinMs, type CallOrder } from '../orders.ts';
import type { Tools } from '../services.ts';
import { judge, waitOf, type Judgement } from './answer.ts';
import { Blotter } from './blotter.ts';
import { faultInInput } from './input.ts';
import { requestOf, type OpenSecrets } from './request.ts';

/** For a test: a tool's own time limit ends at 30 s. */
const longestTestMs = 35_000;
/** Waits between attempts, whatever the tool or its rule says. */
const longestWaitMs = 30_000;
/** When the pool is full, or the database away. */
const againMs = 500;

export interface ToolServices {
  readonly db: Pick<Database, 'query' | 'em'>;
  readonly pool: { send(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundResult> };
  readonly vault: { open(context: string, jwe: string): Promise<string> };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** How a call is made, beside its tool. */
interface Manner {
  readonly callId: string;
  readonly input: unknown;
  readonly attempt: number;
  readonly attempts: number;
  /** Epoch milliseconds: the first attempt is not made later. */
  readonly beginBy: number;
  readonly attemptMs: number;
  readonly deadline: number;
  readonly signal: AbortSignal;
  readonly next: (number: number) => Promise<boolean>;
}

/** What came of a call; an error that no tool has caused has no status. */
type Made = Pick<CallOutcome, 'httpStatus' | 'result' | 'error'>;

/** After an outage of the database for as long as the run lasts. */
const unread = 'there was no time left for the call: it could not be looked up which tool it is of';

const refused = (error: string): Made => ({ httpStatus: null, result: null, error });

export class HttpTools implements Tools {
  readonly #services: ToolServices;
  readonly #circuit: ToolCircuit;

  constructor(services: ToolServices) {
    this.#services = services;
    this.#circuit = new ToolCircuit(services.db);
  }

  async call(
    order: CallOrder,
    signal: AbortSignal,
    attempt: (number: number) => Promise<boolean>,
  ): Promise<CallOutcome> {
    const { clock } = this.#services;
    const { callId, toolId, deadline, attemptMs } = order;
    const begun = clock.monotonic();
    const outcome = (made: Made, status: CallOutcome['status']): CallOutcome => {
      const durationMs = Math.round(clock.monotonic() - begun);
      return { callId, status, durationMs, ...made };
    };
    const read = await this.#patiently(() => callableTool(this.#services.db, order, toolId), order, signal);
    const tool = read?.said;
    const attempts = tool?.retryMaxAttempts ?? 0;
    let number = order.attempt;
    let { beginBy } = order;
    if (order.lost) {
      const isLast = number >= attempts;
      if (isLast || !(await attempt(++number))) {
        return outcome(refused('interrupted: what the tool has done is not known'), 'interrupted');
      }
      beginBy = clock.now() + beginWithinMs;
    }
    if (read === undefined) return outcome(refused(unread), 'failed');
    const made = await this.#admitted(tool, order, {
      ...{ callId, input: order.arguments, attempt: number, attempts, beginBy, attemptMs, deadline },
      ...{ signal, next: attempt },
    });
    return outcome(made, made.error === null ? 'succeeded' : 'failed');
  }

  /**
   * Calls the tool once, whatever its status, outside of any run; what comes of it counts for its circuit. Rejects with
   * `svc/runtime/not_found` where the place has no such tool, and as the database does.
   */
  async test(place: Place, toolId: string, input: Readonly<Record<string, unknown>>): Promise<ToolTest> {
    const { db, clock, random } = this.#services;
    const tool = await callableTool(db, place, toolId);
    if (tool === undefined) throw notFound();
    const begun = clock.monotonic();
    const now = clock.now();
    const made = await this.#make(tool, place, {
      ...{ callId: `test.${Buffer.from(random.bytes(16)).toString('hex')}`, input, attempt: 1, attempts: 1 },
      ...{ beginBy: now + beginWithinMs, attemptMs: tool.timeoutMs, deadline: now + longestTestMs },
      signal: new AbortController().signal,
      next: () => Promise.resolve(false),
    });
    const durationMs = Math.round(clock.monotonic() - begun);
    return { status: made.error === null ? 'succeeded' : 'failed', durationMs, ...made };
  }

  /** The call, if the tool may be called at all. */
  async #admitted(tool: CallableTool | undefined, order: CallOrder, manner: Manner): Promise<Made> {
    if (tool === undefined) return refused('there is no such tool any more');
    if (tool.status === 'disabled') return refused('the tool is disabled');
    if (tool.status === 'active') return this.#make(tool, order, manner);
    const { toolId } = tool;
    const { projectId, environmentId } = order;
    const now = this.#services.clock.now();
    const probes = await this.#patiently(
      () => this.#circuit.mayProbe({ projectId, environmentId, toolId }, now),
      order,
      manner.signal,
    );
    if (probes === undefined) return refused(unread);
    if (!probes.said) return refused('the tool has failed too often, and is not called for now');
    return this.#make(tool, order, { ...manner, attempts: 0 });
  }

  async #make(tool: CallableTool, place: Place, manner: Manner): Promise<Made> {
    const { callId, input } = manner;
    const fault = await faultInInput(tool.inputSchema, input);
    if (fault !== undefined) return refused(fault);
    const secrets = await this.#secretsOf(tool);
    if (secrets === undefined) return refused('the secrets of the tool cannot be read');
    const request = requestOf(tool, secrets, callId, input);
    if ('unfit' in request) return refused(request.unfit);
    const blotter = new Blotter([...Object.values(secrets.headers), secrets.signing]);
    const judgement = await this.#attempts(tool, request, blotter, manner);
    if (judgement === undefined) return refused('there was no time left for the call');
    await this.#note(tool, place, judgement);
    const { httpStatus, result, error } = judgement;
    return { httpStatus, result, error };
  }

  /** Undefined where no attempt could be made in time. */
  async #attempts(
    tool: CallableTool,
    request: OutboundRequest,
    blotter: Blotter,
    { attempt, attempts, beginBy, attemptMs, deadline, signal, next }: Manner,
  ): Promise<Judgement | undefined> {
    const { clock, random } = this.#services;
    let by = beginBy;
    for (let number = attempt; ; number++) {
      const timeoutMs = Math.min(tool.timeoutMs, attemptMs, deadline - clock.now());
      const result = await this.#send({ ...request, timeoutMs }, Math.min(by, deadline), signal);
      if (result === undefined) return undefined;
      const judgement = judge(result, blotter);
      if (!judgement.passes || number >= attempts) return judgement;
      const ownWait = backoffMs(number, tool.retryBackoffMs, longestWaitMs, random);
      const wait = Math.min(longestWaitMs, Math.max(ownWait, waitOf(result, clock.now())));
      if (clock.now() + wait >= deadline) return judgement;
      await pauseUnless(clock, wait, signal);
      if (!(await next(number + 1))) return judgement;
      by = clock.now() + beginWithinMs;
    }
  }

  /** Undefined where the pool has no room until `beginBy`, or it is later than that already. */
  async #send(
    request: OutboundRequest,
    beginBy: number,
    signal: AbortSignal,
  ): Promise<OutboundResult | undefined> {
    const { pool, clock, random } = this.#services;
    for (;;) {
      if (clock.now() >= beginBy) return undefined;
      try {
        return await pool.send(request, signal);
      } catch (error) {
        if (error instanceof WorkerLost) {
          return { at: clock.now(), durationMs: 0, failure: 'connect', error: 'the connection was lost' };
        }
        // A pool that is closed, of a node that goes down: the signal ends this.
        if (!(error instanceof PoolOverloaded) && !(error instanceof PoolClosed)) throw error;
        await pauseUnless(clock, againMs * (0.5 + random.next()), signal);
      }
    }
  }

  async #secretsOf(tool: CallableTool): Promise<OpenSecrets | undefined> {
    const { vault, log } = this.#services;
    const { toolId, sealedHeaders, signingSecret } = tool;
    try {
      const [headers, signing] = await Promise.all([
        sealedHeaders === null ? '{}' : vault.open(toolHeadersContext(toolId), sealedHeaders),
        vault.open(toolSigningContext(toolId), signingSecret),
      ]);
      return { headers: JSON.parse(headers) as Record<string, string>, signing };
    } catch (err) {
      log.error({ err, toolId }, 'the secrets of a tool do not open');
      return undefined;
    }
  }

  /** A tool that answers lives, whatever it thinks of the arguments. What changes nothing is not written. */
  async #note(tool: CallableTool, place: Place, { isToolsFault }: Judgement): Promise<void> {
    if (!isToolsFault && tool.failures === 0 && tool.status === 'active') return;
    const { projectId, environmentId } = place;
    const { toolId } = tool;
    const outcome = isToolsFault ? 'failed' : 'succeeded';
    try {
      await this.#circuit.note({ projectId, environmentId, toolId }, outcome, this.#services.clock.now());
    } catch (err) {
      this.#services.log.warn({ err, toolId }, 'the failure of a tool was not noted');
    }
  }

  /** What the database has said, as soon as it says anything; undefined where that is not before the deadline. */
  async #patiently<T>(
    read: () => Promise<T>,
    { deadline }: CallOrder,
    signal: AbortSignal,
  ): Promise<{ readonly said: T } | undefined> {
    const { clock, log } = this.#services;
    for (;;) {
      if (signal.aborted) throw signal.reason;
      try {
        return { said: await read() };
      } catch (err) {
        if (clock.now() + againMs >= deadline) return undefined;
        log.warn({ err }, 'a tool could not be read');
        await pauseUnless(clock, againMs, signal);
      }
    }
  }
}
