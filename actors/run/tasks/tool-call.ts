/** The task `toolCall`: one tool call, with retries by the tool's own rule. */
import type { TaskContext } from '../../../runtime/actor/index.ts';
import { noTracer, type Span, type Tracer } from '../../../runtime/observability/index.ts';
import type { RetryPolicy } from '../../base/index.ts';
import { runCommand, type ToolOutcome } from '../commands.ts';
import type { ToolCallTask } from '../task-requests.ts';
import type { RunServices } from '../services.ts';
import { FairSemaphore } from '../../../runtime/admission/index.ts';
import type { Reporter } from './reporter.ts';
import type { InFlight } from './in-flight.ts';

/** Calls that this node makes at once. One environment gets half of them at most. */
const maxConcurrent = 4_096;
/** Calls that wait for their turn. */
const maxWaiting = 4_096;

/**
 * An attempt that another node may have begun is left alone until no node can be working on it; meanwhile its run asks again every few
 * seconds. Then the attempt counts as lost, and so does one for which there is no room.
 */
export function createToolCallTask(
  { tools, clock, metrics, tracer = noTracer }: Pick<RunServices, 'tools' | 'clock' | 'metrics' | 'tracer'>,
  inFlight: InFlight,
  reporter: Reporter,
  retryPolicy: RetryPolicy,
) {
  const semaphore = new FairSemaphore(maxConcurrent, maxWaiting);
  return async ({ request, lostAt, fresh }: ToolCallTask, context: TaskContext): Promise<void> => {
    const { self } = context;
    const { callId, environmentId } = request;
    const makeCall = async (signal: AbortSignal): Promise<void> => {
      // Checked here too: while the call waited, or this process stood still, another node may have taken the attempt for lost.
      const lost = clock.now() >= lostAt;
      let isOurs = true;
      const beginAttempt = async (number: number): Promise<boolean> => {
        isOurs = (await retryPolicy.retry(
          'an attempt of a tool call could not be begun',
          () => context.ask(self, 'attempt', { callId, attempt: number }),
          () => signal.aborted,
        )) as boolean;
        return isOurs;
      };
      const span = startCall(tracer, request);
      const outcome = await tools
        .call(
          { ...request, lost, ...(span !== undefined && { traceparent: span.traceparent }) },
          signal,
          beginAttempt,
        )
        .then(
          given => {
            span?.set({ 'http.response.status_code': given.httpStatus ?? undefined });
            span?.end(given.status === 'succeeded' ? undefined : given.status);
            return given;
          },
          (error: unknown) => {
            span?.end('stopped');
            throw error;
          },
        );
      // Stopped: what the tool did is not known, and the outcome says only that the call was stopped.
      if (!isOurs || signal.aborted) return;
      metrics?.countCall(outcome, span?.traceparent);
      const fallback: ToolOutcome = {
        callId,
        status: 'failed',
        durationMs: outcome.durationMs,
        httpStatus: null,
        result: null,
        error: 'what the tool has answered cannot be kept',
      };
      await reporter.report(context, runCommand.toolCompleted, outcome, fallback);
    };
    if (!fresh && clock.now() < lostAt) return;
    await inFlight.run(self.id, callId, signal =>
      semaphore.runOrSkip(environmentId, signal, () => makeCall(signal)),
    );
  };
}

/** Undefined where the run's trace is not kept. */
function startCall(tracer: Tracer, request: ToolCallTask['request']): Span | undefined {
  const { agentRunId, projectId, threadId, callId, toolId } = request;
  const parent = tracer.runParent(agentRunId);
  if (parent === undefined) return undefined;
  return tracer.start('tool call', parent, {
    kind: 'client',
    attributes: {
      'skein.run.id': agentRunId,
      'skein.project.id': projectId,
      'skein.thread.id': threadId ?? undefined,
      'skein.tool.id': toolId,
      'skein.tool_call.id': callId,
    },
  });
}
