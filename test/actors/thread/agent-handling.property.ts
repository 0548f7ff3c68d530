/** Invariants of a thread with an agent: they hold whatever happens, and in whatever order the commands of its runs arrive. */
import fc from '../../support/fuzz.ts';
import type { Test } from 'tap';
import { runCommand } from '../../../actors/run/commands.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import { newId } from '../../../protocol/ids.ts';
import { hour, human, key, tenancy } from './thread-harness.ts';
import { agentId, ThreadWithAgent } from './agent-harness.ts';

const modes = ['auto', 'suggest', 'paused'] as const;

const does = <Name extends string>(name: Name) => fc.record({ do: fc.constant(name) });
const aboutRun = <Name extends string>(name: Name) =>
  // How many runs ago: the newest one mostly, and also those that are long over.
  fc.record({ do: fc.constant(name), ago: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3)) });

const step = fc.oneof(
  { weight: 5, arbitrary: does('inbound') },
  { weight: 2, arbitrary: does('humanSends') },
  { weight: 1, arbitrary: does('programSends') },
  { weight: 1, arbitrary: does('assign') },
  { weight: 1, arbitrary: does('release') },
  { weight: 1, arbitrary: does('type') },
  { weight: 5, arbitrary: does('dispatchAgent') },
  { weight: 6, arbitrary: does('converse') },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('request' as const), supersede: fc.boolean() }) },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      ago: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3)),
      times: fc.integer({ min: 1, max: 2 }),
      body: fc.constantFrom('yes', 'yes', 'x'.repeat(16_001), ''),
      handoff: fc.integer({ min: 0, max: 9 }).map(n => n === 0),
    }),
  },
  { weight: 1, arbitrary: aboutRun('over' as const) },
  { weight: 1, arbitrary: aboutRun('overBudget' as const) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('resolve' as const),
      ago: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(3)),
      first: fc.constantFrom('approve' as const, 'discard' as const),
      second: fc.constantFrom('approve' as const, 'discard' as const),
      /** How many events ago the first operator looked. */
      age: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.nat(2)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('mode' as const),
      to: fc.constantFrom(...modes, 'auto', 'suggest', null),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('agent' as const),
      to: fc.constantFrom(...modes, 'auto', 'auto', 'archived', 'replaced'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      to: fc.constantFrom('open', 'closed', 'archived'),
    }),
  },
  { weight: 1, arbitrary: does('erase') },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(1, 900, 1_500, 9_999, 20_000),
    }),
  },
  { weight: 1, arbitrary: does('stand') },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

class ObservedThread {
  readonly thread: ThreadWithAgent;
  /** Ids of runs, in the order in which they were opened. */
  readonly runs: string[] = [];
  readonly basedOn = new Map<string, number>();
  /** Runs that have told the thread their own end; their ids. */
  readonly ended = new Set<string>();
  /** When a human last wrote, took the thread, or typed; what typed is forgotten with a crash, of which there is none here. */
  humanAt = -Infinity;
  readonly humanSequences: number[] = [];

  constructor(mode: (typeof modes)[number]) {
    this.thread = new ThreadWithAgent(mode, 'sandbox');
    this.thread.create();
  }

  run(ago: number): string {
    return this.runs.at(-1 - ago) ?? 'run_none';
  }

  opened(opened: ReturnType<ThreadWithAgent['open']>): void {
    if (opened === null) return;
    this.runs.push(opened.agentRunId);
    this.basedOn.set(opened.agentRunId, opened.begin.basedOnSequence);
  }

  humanSent(): void {
    this.humanAt = this.thread.now;
    this.humanSequences.push(this.thread.state.agentHandling.humanSequence);
  }

  take(step: Step): void {
    const { thread } = this;
    switch (step.do) {
      case 'inbound':
        thread.receive();
        return;
      case 'humanSends':
        thread.send(human);
        this.humanSent();
        return;
      case 'programSends':
        thread.send(key);
        return;
      case 'assign':
        if (thread.state.assigneeUserId === human.id) return;
        thread.assign();
        this.humanAt = thread.now;
        return;
      case 'release':
        thread.assign(null);
        return;
      case 'type':
        thread.do('noteTyping', tenancy);
        this.humanAt = thread.now;
        return;
      case 'dispatchAgent':
        this.opened(thread.dispatched());
        return;
      // A whole round, so that long histories are not needed to come to an answer.
      case 'converse':
        thread.receive();
        this.opened(thread.dispatched());
        thread.passTo(thread.now + 10_000);
        this.answer({ do: 'answer', ago: 0, times: 1, body: 'yes', handoff: false });
        return;
      case 'request': {
        const live = thread.state.agentHandling.live?.agentRunId;
        this.opened(thread.open(step.supersede && live !== undefined ? { supersedes: live } : {}));
        return;
      }
      case 'answer':
        this.answer(step);
        return;
      case 'over':
      case 'overBudget': {
        const agentRunId = this.run(step.ago);
        const budget = { scope: 'run', limitMicros: 1, spentMicros: 1, fallsTo: 'suggest' } as const;
        if (this.finalWords(agentRunId) === 0) this.ended.add(agentRunId);
        thread.do('runOver', { ...tenancy, agentRunId, ...(step.do === 'over' ? {} : { budget }) });
        return;
      }
      case 'resolve':
        this.resolve(step);
        return;
      case 'mode':
        thread.update({ agentMode: step.to });
        return;
      // Its rows change. The thread learns of it when a run offers its answer, or the next message comes.
      case 'agent':
        thread.isArchived = step.to === 'archived';
        thread.defaultAgentId = step.to === 'replaced' ? newId('agent') : agentId;
        if (step.to !== 'archived' && step.to !== 'replaced') thread.mode = step.to;
        return;
      case 'move':
        thread.update({ status: step.to });
        return;
      case 'erase':
        thread.do('erase', { ...tenancy, author: human });
        return;
      // A day in which no node was there to deliver anything.
      case 'stand':
        thread.now += 24 * hour;
        thread.passTo(thread.now);
        return;
      case 'pass':
        thread.passTo(thread.now + step.ms);
        return;
    }
  }

  answer({ ago, times, body, handoff }: Extract<Step, { do: 'answer' }>): void {
    const { thread } = this;
    const agentRunId = this.run(ago);
    const sent = thread.outbound.length;
    const mode = thread.state.agentMode ?? thread.mode;
    const more = handoff || body === '' ? { handoff: { reason: 'a human is wanted' } } : {};
    for (let i = 0; i < times; i++) thread.answer(agentRunId, body, more);
    if (thread.outbound.length === sent) return;
    // Told by the human's own steps, and not by what the thread remembers of them.
    if (thread.now - this.humanAt < 10_000) throw new Error('it was sent beside a human who is active');
    const basis = this.basedOn.get(agentRunId) ?? Infinity;
    if (this.humanSequences.some(sequence => sequence > basis)) throw new Error('a human was faster');
    if (thread.state.status !== 'open') throw new Error('it was sent on a thread that is not open');
    if (thread.isArchived || mode !== 'auto') throw new Error('it was sent by an agent that may not send');
  }

  /** Two operators, one after the other: what the first has done the second does not undo. */
  resolve({ ago, first, second, age }: Extract<Step, { do: 'resolve' }>): void {
    const { thread } = this;
    const pending = thread.state.agentHandling.suggestion?.agentRunId;
    const agentRunId = ago === 0 && pending !== undefined ? pending : this.run(ago);
    const seen = age === undefined ? {} : { expectedSequence: thread.state.sequence - age };
    thread.resolve(agentRunId, { action: first, body: 'yes', ...seen });
    if (first === 'approve') this.humanSent();
    const before = thread.state;
    try {
      thread.resolve(agentRunId, { action: second, body: 'yes', author: key });
    } catch (error) {
      if (
        (error as ServiceError).code === 'svc/agent_runs/suggestion_already_resolved' &&
        thread.state === before
      )
        return;
      throw error;
    }
    throw new Error('it was resolved twice');
  }

  finalWords(agentRunId: string): number {
    return (
      this.thread.toldTo(agentRunId, runCommand.answerDecided).length +
      this.thread.toldTo(agentRunId, 'cancel').length
    );
  }

  /** The invariants that hold after every step. */
  check(): void {
    const { thread } = this;
    const { events, state } = thread;
    events.forEach((event, index) => {
      if (event.data.sequence !== index + 1) throw new Error('the sequence has a gap');
    });
    if (state.sequence !== events.length) throw new Error('the state counts other events than there are');
    const { live, waiting, suggestion } = state.agentHandling;
    for (const agentRunId of this.runs) {
      const words = this.finalWords(agentRunId) + (this.ended.has(agentRunId) ? 1 : 0);
      const wanted = agentRunId === live?.agentRunId ? 0 : 1;
      if (words !== wanted) throw new Error(`a run has been told ${words} final words instead of ${wanted}`);
      if (thread.toldTo(agentRunId, 'begin').length !== 1) throw new Error('a run is begun once');
      const messages = thread.outbound.filter(({ metadata }) => metadata.agentRunId === agentRunId);
      if (messages.length > 1) throw new Error('a run has made two messages');
      this.checkSuggestion(agentRunId, suggestion?.agentRunId === agentRunId, messages.length);
    }
    if (new Set(this.runs).size !== this.runs.length) throw new Error('two runs have one id');
    if ((waiting !== null) !== thread.reminders.has('agent'))
      throw new Error('who waits has a reminder, and nobody else');
    if ((suggestion !== null) !== thread.reminders.has('suggestion'))
      throw new Error('a suggestion that waits has a reminder, and no other');
    if (state.status !== 'open' && (live !== null || suggestion !== null || waiting !== null)) {
      throw new Error('a thread that is not open has an agent at work');
    }
  }

  /** Made once, settled once, and sent only where it was approved. */
  checkSuggestion(agentRunId: string, isPending: boolean, messages: number): void {
    const { thread } = this;
    const told = (name: string) =>
      thread.events.filter(({ eventName, data }) => eventName === name && data.agentRunId === agentRunId)
        .length;
    const made = told('agent.suggestion.created');
    const settled = thread.toldTo(agentRunId, 'settleSuggestion');
    const endings = ['resolved', 'superseded', 'expired'];
    const said = endings.reduce((sum, ending) => sum + told(`agent.suggestion.${ending}`), 0);
    if (made > 1 || settled.length !== said || settled.length !== made - (isPending ? 1 : 0)) {
      throw new Error(`${made} suggestions made, ${settled.length} settled, ${said} said to be`);
    }
    const approved = settled.some(({ settlement }) => settlement.status === 'approved');
    if (made > 0 && approved !== (messages === 1)) throw new Error('sent without approval, or the reverse');
  }
}

/** Random histories of threads with an agent. */
export function testAgentHandling(t: Test, numRuns: number): void {
  t.test('whatever happens on a thread with an agent, its invariants hold', async t => {
    const seen = { runs: 0, sent: 0, approved: 0, superseded: 0, cancelled: 0, refused: 0 };
    fc.assert(
      fc.property(
        fc.constantFrom(...modes, 'auto', 'suggest'),
        fc.array(step, { maxLength: 60, size: 'max' }),
        (mode, history) => {
          const observed = new ObservedThread(mode);
          for (const next of history) {
            const before = observed.thread.state;
            try {
              observed.take(next);
            } catch (error) {
              if (!(error instanceof ServiceError)) throw error;
              seen.refused++;
              if (observed.thread.state !== before)
                throw new Error('a refusal changed something', { cause: error });
            }
            observed.check();
          }
          const { thread, runs } = observed;
          seen.runs += runs.length;
          seen.sent += thread.outbound.filter(({ actor }) => actor?.type === 'agent').length;
          seen.approved += thread.outbound.filter(
            ({ actor, metadata }) => actor?.type !== 'agent' && 'agentRunId' in metadata,
          ).length;
          seen.superseded += thread.told.filter(
            ({ payload }) => (payload as { outcome?: string }).outcome === 'superseded',
          ).length;
          seen.cancelled += thread.told.filter(({ command }) => command === 'cancel').length;
        },
      ),
      { numRuns },
    );
    for (const [what, times] of Object.entries(seen)) t.ok(times > numRuns / 30, `${what}: ${times} times`);
  });
}
