/** A thread with an agent: the test does what the task `dispatchAgent` and the runs would do. */
import { newId } from '../../../protocol/ids.ts';
import type { ChannelKind } from '../../../protocol/resources/channel.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import type { AgentMode } from '../../../protocol/resources/thread.ts';
import type { OpenedRun, OpenRun, ResolveSuggestion } from '../../../actors/thread/commands.ts';
import type { AgentHead } from '../../../storage/agents/agents.ts';
import type { DispatchAgent } from '../../../actors/thread/agent-dispatcher.ts';
import type { runCommand, RunCommands } from '../../../actors/run/commands.ts';
import type { Suggestion } from '../../../actors/run/trace.ts';
import { human, key, tenancy, ThreadHarness } from './thread-harness.ts';

export const agentId = newId('agent');
const loomId = newId('loom');
const loomVersionId = newId('loomVersion');

export function createHead(mode: AgentMode, id = agentId): AgentHead {
  return { agentId: id, loomId, loomVersionId, provider: 'llm_provider_1', model: 'gpt', mode };
}

type ToldToRun = 'begin' | typeof runCommand.answerDecided | 'settleSuggestion' | 'humanTookOver' | 'cancel';

export class ThreadWithAgent extends ThreadHarness {
  override defaultAgentId: string | null = agentId;
  /** The agent's own mode. */
  mode: AgentMode;
  isArchived = false;

  constructor(mode: AgentMode = 'auto', kind: ChannelKind = 'custom') {
    super(kind);
    this.mode = mode;
  }

  /** The newest call of the agent. */
  get call(): DispatchAgent | undefined {
    const effect = this.effects.at(-1);
    return effect?.do === 'perform' ? (effect.payload as DispatchAgent) : undefined;
  }

  /** Waits for the call and answers it, as the task would. */
  dispatched(more: Partial<OpenRun> = {}): OpenedRun | null {
    const reminder = this.reminders.get('agent');
    if (reminder !== undefined) this.passTo(Math.max(this.now, reminder.at));
    return this.open({ trigger: 'message', channelAgentId: this.defaultAgentId, ...more });
  }

  open(more: Partial<OpenRun> = {}): OpenedRun | null {
    const head = createHead(this.mode);
    return this.do('openRun', {
      ...tenancy,
      trigger: 'request',
      head,
      metadata: {},
      author: key,
      ...more,
    });
  }

  /** The id of a run that is live: a message came, and the agent was called. */
  begun(): string {
    this.receive();
    const opened = this.dispatched();
    if (opened === null) throw new Error('no run was opened');
    return opened.agentRunId;
  }

  answer(agentRunId: string, body = 'the answer', more: object = {}): void {
    const begin = this.toldTo(agentRunId, 'begin').at(-1);
    const mode = begin?.head.mode ?? 'auto';
    const agent = { mode: this.isArchived ? null : this.mode, channelAgentId: this.defaultAgentId };
    this.do('takeAnswer', { ...tenancy, agentRunId, body, mode, agent, ...more });
  }

  /** A run whose answer has become a suggestion. */
  suggested(body = 'the answer'): string {
    const agentRunId = this.begun();
    this.answer(agentRunId, body);
    if (this.state.agentHandling.suggestion === null) throw new Error('it was not suggested');
    return agentRunId;
  }

  resolve(agentRunId: string, more: Partial<ResolveSuggestion> = {}): Suggestion {
    return this.do('resolveSuggestion', {
      ...tenancy,
      agentRunId,
      action: 'approve',
      body: 'the answer',
      author: human,
      ...more,
    });
  }

  update(changes: object): void {
    this.do('update', { ...tenancy, changes, author: human });
  }

  assign(userId: string | null = human.id): void {
    this.do('assign', { ...tenancy, userId, author: human });
  }

  toldTo<Name extends ToldToRun>(agentRunId: string, command: Name): RunCommands[Name]['payload'][] {
    return this.told
      .filter(tell => tell.to?.id === agentRunId && tell.command === command)
      .map(tell => tell.payload as RunCommands[Name]['payload']);
  }

  /** The messages that left. */
  get outbound(): Message[] {
    return this.events.flatMap(({ eventName, data }) =>
      eventName === 'thread.message.created' && data.message !== undefined ? [data.message] : [],
    );
  }
}
