/**
 * Calls tools over HTTP, in the node's pool. The run commits each attempt of a call before it is made; the first one is committed when the
 * request comes.
 */
import { LRUCache } from 'lru-cache';
import { notFound } from '../../../protocol/errors.ts';
import type { ToolTest } from '../../../protocol/resources/index.ts';
import { Backoff, backoffMs, type Clock, pause, type Random } from '../../../runtime/time/index.ts';
import type { Log } from '../../../runtime/observability/index.ts';
import type { OutboundRequest, OutboundResult } from '../../../runtime/outbound/index.ts';
import { PoolClosed, PoolOverloaded, WorkerLost } from '../../../runtime/pool/index.ts';
import {
  findCallableTool,
  type CallableTool,
  ToolCircuit,
  toolHeadersContext,
  toolSigningContext,
} from '../../../storage/agents/index.ts';
import type { Database, TenantScope } from '../../../storage/database/index.ts';
import { findParticipantRef } from '../../../storage/reads/index.ts';
import { SealBroken } from '../../../storage/secrets/index.ts';
import type { ToolOutcome } from '../commands.ts';
import { beginWithinMs, type ToolCallRequest } from '../task-requests.ts';
import type { Tools } from '../services.ts';
import { assessAnswer, getRequestedWait, type ToolAssessment } from './answer.ts';
import { Redactor } from './redactor.ts';
import { findInputFault } from './input.ts';
import { type CallOrigin, createToolRequest, type OpenSecrets } from './request.ts';

/** For a test call. A tool's own time limit is 30 s at most. */
const maxTestMs = 35_000;
/** The longest wait between attempts, whatever the tool or its rule says. */
const maxToolRetryMs = 30_000;
/** Milliseconds to wait when the pool is full, or the database does not answer. */
const firstAgainMs = 500;
const maxAgainMs = 2_000;

/** Former secrets that did not open and are remembered, over all tools. */
const maxBroken = 1_000;

const unreadableTool = 'there was no time left for the call: it could not be looked up which tool it is of';

export interface ToolServices {
  readonly db: Pick<Database, 'query' | 'em'>;
  /** A queue of the node's pool. */
  readonly pool: {
    send(request: OutboundRequest, owner: string, signal?: AbortSignal): Promise<OutboundResult>;
  };
  readonly vault: { open(context: string, jwe: string): Promise<string> };
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** How a call is made, beside its tool. */
interface CallOptions {
  readonly projectId: string;
  readonly callId: string;
  readonly input: unknown;
  readonly origin: CallOrigin;
  readonly isApproved: boolean;
  readonly approvalAskedAt?: number | undefined;
  readonly attempt: number;
  readonly attempts: number;
  /** The first attempt is not made later than this instant, in epoch milliseconds. */
  readonly beginBy: number;
  readonly attemptMs: number;
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** Whether the attempt with that number may be made. */
  readonly beginAttempt: (number: number) => Promise<boolean>;
}

/** The result of a call. An error that no tool has caused has no status. */
type CallResult = Pick<ToolOutcome, 'httpStatus' | 'result' | 'error'>;

const createRefusal = (error: string): CallResult => ({ httpStatus: null, result: null, error });

export class HttpTools implements Tools {
  readonly #services: ToolServices;
  readonly #circuit: ToolCircuit;
  /** Sealed texts of former secrets that did not open. */
  readonly #broken = new LRUCache<string, true>({ max: maxBroken });

  constructor(services: ToolServices) {
    this.#services = services;
    this.#circuit = new ToolCircuit(services.db);
  }

  async call(
    request: ToolCallRequest,
    signal: AbortSignal,
    beginAttempt: (number: number) => Promise<boolean>,
  ): Promise<ToolOutcome> {
    const { clock } = this.#services;
    const { agentRunId, threadId, callId, deadline, attemptMs, traceparent } = request;
    const begunAt = clock.monotonic();
    const toOutcome = (result: CallResult, status: ToolOutcome['status']): ToolOutcome => {
      const durationMs = Math.round(clock.monotonic() - begunAt);
      return { callId, status, durationMs, ...result };
    };
    const read = await this.#readWithRetry(() => this.#read(request), deadline, signal);
    const tool = read?.value.tool;
    const attempts = tool?.retryMaxAttempts ?? 0;
    let { attempt, beginBy } = request;
    if (request.lost) {
      const isLast = attempt >= attempts;
      if (isLast || !(await beginAttempt(++attempt))) {
        return toOutcome(createRefusal('interrupted: what the tool has done is not known'), 'interrupted');
      }
      beginBy = clock.now() + beginWithinMs;
    }
    if (read === undefined) return toOutcome(createRefusal(unreadableTool), 'failed');
    const result = await this.#callIfAllowed(tool, request, {
      projectId: request.projectId,
      callId,
      input: request.arguments,
      origin: { agentRunId, threadId, participantRef: read.value.participantRef, traceparent },
      isApproved: request.isApproved,
      approvalAskedAt: request.approvalAskedAt,
      attempt,
      attempts,
      beginBy,
      attemptMs,
      deadline,
      signal,
      beginAttempt,
    });
    return toOutcome(result, result.error === null ? 'succeeded' : 'failed');
  }

  /**
   * Calls the tool once, whatever its status, outside of any run. The result counts for the tool's circuit. Rejects with
   * `svc/runtime/not_found` if there is no such tool, and as the database does.
   *
   * @param keyHash of a request that may be repeated, Base64: the tool gets the same `Idempotency-Key` then
   */
  async test(
    scope: TenantScope,
    toolId: string,
    input: Readonly<Record<string, unknown>>,
    keyHash?: string,
  ): Promise<ToolTest> {
    const { db, clock, random } = this.#services;
    const tool = await findCallableTool(db, scope, toolId);
    if (tool === undefined) throw notFound();
    const begunAt = clock.monotonic();
    const now = clock.now();
    const result = await this.#call(tool, scope, {
      projectId: scope.projectId,
      callId: `test.${(keyHash === undefined ? Buffer.from(random.bytes(16)) : Buffer.from(keyHash, 'base64').subarray(0, 16)).toString('hex')}`,
      input,
      origin: {},
      // Whoever tests a tool is the person.
      isApproved: true,
      attempt: 1,
      attempts: 1,
      beginBy: now + beginWithinMs,
      attemptMs: tool.timeoutMs,
      deadline: now + maxTestMs,
      signal: new AbortController().signal,
      beginAttempt: () => Promise.resolve(false),
    });
    const durationMs = Math.round(clock.monotonic() - begunAt);
    return { status: result.error === null ? 'succeeded' : 'failed', durationMs, ...result };
  }

  /** Makes the call, if the tool may be called at all. */
  async #callIfAllowed(
    tool: CallableTool | undefined,
    scope: TenantScope,
    options: CallOptions,
  ): Promise<CallResult> {
    if (tool === undefined) return createRefusal('there is no such tool any more');
    if (tool.status === 'disabled') return createRefusal('the tool is disabled');
    // It did not when the model was asked.
    if (tool.requiresApproval && !options.isApproved) {
      return createRefusal('the tool requires the approval of a person by now: call it again');
    }
    const { approvalAskedAt } = options;
    if (approvalAskedAt !== undefined && tool.updatedAt.getTime() > approvalAskedAt) {
      return createRefusal('the tool has changed since the approval was requested: call it again');
    }
    if (tool.status === 'active') return this.#call(tool, scope, options);
    const { toolId } = tool;
    const { projectId, environmentId } = scope;
    const now = this.#services.clock.now();
    const mayProbe = await this.#readWithRetry(
      () => this.#circuit.claimProbe({ projectId, environmentId, toolId }, now),
      options.deadline,
      options.signal,
    );
    if (mayProbe === undefined) return createRefusal(unreadableTool);
    if (!mayProbe.value) return createRefusal('the tool has failed too often, and is not called for now');
    return this.#call(tool, scope, { ...options, attempts: 0 });
  }

  async #call(tool: CallableTool, scope: TenantScope, options: CallOptions): Promise<CallResult> {
    const fault = await findInputFault(tool.inputSchema, options.input);
    if (fault !== undefined) return createRefusal(fault);
    const secrets = await this.#openSecrets(tool);
    if (secrets === undefined) return createRefusal('the secrets of the tool cannot be read');
    const request = createToolRequest(tool, secrets, options);
    if ('problem' in request) return createRefusal(request.problem);
    const redactor = new Redactor([...Object.values(secrets.headers), ...secrets.signing]);
    const assessment = await this.#makeAttempts(tool, request, redactor, options);
    if (assessment === undefined) return createRefusal('there was no time left for the call');
    await this.#noteOutcome(tool, scope, assessment);
    const { httpStatus, result, error } = assessment;
    return { httpStatus, result, error };
  }

  /** Undefined if no attempt could be made in time. */
  async #makeAttempts(
    tool: CallableTool,
    request: OutboundRequest,
    redactor: Redactor,
    options: CallOptions,
  ): Promise<ToolAssessment | undefined> {
    const { clock, random } = this.#services;
    const { projectId, attempt, attempts, attemptMs, deadline, signal, beginAttempt } = options;
    let { beginBy } = options;
    for (let number = attempt; ; number++) {
      const timeoutMs = Math.min(tool.timeoutMs, attemptMs, deadline - clock.now());
      const result = await this.#send({ ...request, timeoutMs }, projectId, {
        beginBy: Math.min(beginBy, deadline),
        signal,
      });
      if (result === undefined) return undefined;
      const assessment = assessAnswer(result, redactor);
      if (!assessment.isTransient || number >= attempts) return assessment;
      const ownWaitMs = backoffMs(number, tool.retryBackoffMs, maxToolRetryMs, random);
      const waitMs = Math.min(maxToolRetryMs, Math.max(ownWaitMs, getRequestedWait(result, clock.now())));
      if (clock.now() + waitMs >= deadline) return assessment;
      await pause(clock, waitMs, signal);
      if (!(await beginAttempt(number + 1))) return assessment;
      beginBy = clock.now() + beginWithinMs;
    }
  }

  /** Undefined if the pool has no room before `beginBy`. */
  async #send(
    request: OutboundRequest,
    projectId: string,
    { beginBy, signal }: Pick<CallOptions, 'beginBy' | 'signal'>,
  ): Promise<OutboundResult | undefined> {
    const { pool, clock, random } = this.#services;
    let backoff: Backoff | undefined;
    for (;;) {
      if (clock.now() >= beginBy) return undefined;
      try {
        return await pool.send({ ...request, at: clock.now() }, projectId, signal);
      } catch (error) {
        if (error instanceof WorkerLost) {
          return { at: clock.now(), durationMs: 0, failure: 'connect', error: 'the connection was lost' };
        }
        // The pool is closed when the node goes down: then the signal ends this.
        if (!(error instanceof PoolOverloaded) && !(error instanceof PoolClosed)) throw error;
        backoff ??= new Backoff(firstAgainMs, maxAgainMs, random);
        await pause(clock, backoff.next(), signal);
      }
    }
  }

  /** The tool of a call, and the participant in whose thread the call is made. */
  async #read({ projectId, environmentId, toolId, threadId }: ToolCallRequest): Promise<{
    readonly tool: CallableTool | undefined;
    readonly participantRef: string | null;
  }> {
    const { db } = this.#services;
    const scope = { projectId, environmentId };
    const [tool, participantRef] = await Promise.all([
      findCallableTool(db, scope, toolId),
      threadId === null ? null : findParticipantRef(db, scope, threadId),
    ]);
    return { tool, participantRef };
  }

  async #openSecrets(tool: CallableTool): Promise<OpenSecrets | undefined> {
    const { vault, log, clock } = this.#services;
    const { toolId, sealedHeaders, signingSecret, formerSecrets } = tool;
    const now = clock.now();
    const former = formerSecrets.filter(({ until }) => until > now).map(({ jwe }) => jwe);
    const context = toolSigningContext(toolId);
    try {
      const [headers, newest, older] = await Promise.all([
        sealedHeaders === null ? '{}' : vault.open(toolHeadersContext(toolId), sealedHeaders),
        vault.open(context, signingSecret),
        this.#openFormer(context, former),
      ]);
      return { headers: JSON.parse(headers) as Record<string, string>, signing: [newest, ...older] };
    } catch (err) {
      log.error({ err, toolId }, 'the secrets of a tool cannot be opened');
      return undefined;
    }
  }

  /** Those that open: a tool whose secret is lost has been given a new one. The lost one is asked for once, since that counts as a fault. */
  async #openFormer(context: string, sealed: readonly string[]): Promise<readonly string[]> {
    const secrets: string[] = [];
    for (const jwe of sealed) {
      if (this.#broken.has(jwe)) continue;
      try {
        secrets.push(await this.#services.vault.open(context, jwe));
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error;
        this.#broken.set(jwe, true);
      }
    }
    return secrets;
  }

  /** For the tool's circuit: a tool that answers works, whatever it thinks of the arguments. Nothing is written without need. */
  async #noteOutcome(
    tool: CallableTool,
    scope: TenantScope,
    { isToolsFault }: ToolAssessment,
  ): Promise<void> {
    if (!isToolsFault && tool.failures === 0 && tool.status === 'active') return;
    const { projectId, environmentId } = scope;
    const { toolId } = tool;
    const outcome = isToolsFault ? 'failed' : 'succeeded';
    try {
      await this.#circuit.recordOutcome(
        { projectId, environmentId, toolId },
        outcome,
        this.#services.clock.now(),
      );
    } catch (err) {
      this.#services.log.warn({ err, toolId }, 'could not record the outcome of a tool call');
    }
  }

  /** Reads from the database until it answers; undefined if it does not before the deadline. */
  async #readWithRetry<T>(
    read: () => Promise<T>,
    deadline: number,
    signal: AbortSignal,
  ): Promise<{ readonly value: T } | undefined> {
    const { clock, log, random } = this.#services;
    let backoff: Backoff | undefined;
    for (;;) {
      if (signal.aborted) throw signal.reason;
      try {
        return { value: await read() };
      } catch (err) {
        backoff ??= new Backoff(firstAgainMs, maxAgainMs, random);
        const waitMs = backoff.next();
        if (clock.now() + waitMs >= deadline) return undefined;
        log.warn({ err }, 'a tool could not be read');
        await pause(clock, waitMs, signal);
      }
    }
  }
}
