/** Agents that answer each other: how their loop ends. */
import t from 'tap';
import fc from 'fast-check';
import { decodeAgentHandling, encodeAgentHandling } from '../../../actors/thread/agent-handling.ts';
import type { AnswerLimits } from '../../../actors/run/thread-reports.ts';
import { ThreadWithAgent } from './agent-harness.ts';
import { human, hour } from './thread-harness.ts';

const limits: AnswerLimits = {
  threadAnswers: 30,
  participantAnswers: 60,
  answeredElsewhere: 0,
  answerHops: 8,
};

class LoopingThread extends ThreadWithAgent {
  /** One inbound message, and what its agent makes of it. */
  exchange(given: Partial<AnswerLimits> = {}, hops?: number): void {
    this.receive('again', '+34600000000', hops);
    const opened = this.dispatched();
    if (opened === null) throw new Error('no run was opened');
    const agent = { mode: this.mode, channelAgentId: this.defaultAgentId, limits: { ...limits, ...given } };
    this.answer(opened.agentRunId, 'an answer', { agent });
    // As after a restart.
    const stored = JSON.parse(JSON.stringify(encodeAgentHandling(this.state) ?? {})) as object;
    this.state = { ...this.state, agentHandling: decodeAgentHandling(stored) };
  }

  reached(): unknown[] {
    return this.events.flatMap(({ eventName, data }) =>
      eventName === 'agent.answer_limit.reached' ? [[data['scope'], data['limit']]] : [],
    );
  }
}

t.test(
  'no thread sends more automatic answers than its limit in an hour, and then it only suggests',
  async () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(300_000), { minLength: 40, maxLength: 60 }),
        fc.integer({ min: 1, max: 12 }),
        (pauses, threadAnswers) => {
          const thread = new LoopingThread();
          for (const pause of pauses) {
            thread.passTo(thread.now + pause);
            thread.exchange({ threadAnswers });
            if (thread.reached().length > 0) break;
          }
          const times = thread.events
            .filter(({ eventName }) => eventName === 'thread.message.created')
            .map(({ occurredAt }) => Date.parse(occurredAt));
          for (const [index, time] of times.entries()) {
            const later = times[index + 2 * threadAnswers];
            if (later !== undefined && later - time < hour) throw new Error('too many in any hour');
          }
          if (thread.reached().length === 0) return;
          const { length } = thread.outbound;
          for (let i = 0; i < 5; i++) thread.exchange({ threadAnswers });
          if (thread.outbound.length !== length) throw new Error('it goes on');
        },
      ),
      { numRuns: 30 },
    );
  },
);

t.test(
  'thirty answers, then a suggestion, an event and mode suggest, until a person sets another mode',
  async t => {
    const thread = new LoopingThread();
    for (let i = 0; i < 40; i++) thread.exchange();
    t.equal(thread.outbound.length, 30);
    t.same(thread.reached(), [['thread', 30]]);
    t.equal(thread.state.agentMode, 'suggest');
    t.match(thread.state.agentHandling.suggestion, { basedOnSequence: Number });
    thread.update({ agentMode: 'auto' });
    thread.passTo(thread.now + 10_000);
    thread.exchange();
    t.equal(thread.outbound.length, 31, 'a person has seen it');
  },
);

t.test('answers that newer messages overtake end, too', async t => {
  const thread = new LoopingThread();
  for (let i = 0; i < 30; i++) thread.exchange();
  const agentRunId = thread.begun();
  thread.receive('faster');
  thread.answer(agentRunId, 'x', { agent: { mode: 'auto', channelAgentId: thread.defaultAgentId, limits } });
  t.equal(thread.state.agentMode, 'suggest');
  t.equal(thread.outbound.length, 30);
});

t.test('the limit of a participant counts its other threads', async t => {
  const thread = new LoopingThread();
  for (let i = 0; i < 4; i++) thread.exchange({ answeredElsewhere: 58 });
  t.equal(thread.outbound.length, 2);
  t.same(thread.reached(), [['participant', 60]]);
});

t.test('two agents on custom channels that report hops end after the limit', async t => {
  const threads = [new LoopingThread(), new LoopingThread()] as const;
  let hops: number | undefined;
  for (let i = 0; i < 20; i++) {
    const thread = threads[i % 2] ?? threads[0];
    const { length } = thread.events;
    thread.exchange({}, hops);
    const command = thread.events.slice(length).find(each => each.eventName === 'channel.message.requested');
    if (command === undefined) break;
    hops = command.data['hops'] as number;
  }
  t.equal(hops, 8);
  t.same([...threads[0].reached(), ...threads[1].reached()], [['hops', 8]]);
  const [thread] = threads;
  thread.send(human);
  t.equal(
    thread.events.find(({ data }) => data.actor.id === human.id && 'hops' in data),
    undefined,
  );
});
