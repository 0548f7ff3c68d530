/** kill -9 of the node that has a run: another one goes on with it, from what was committed. */
import t from 'tap';
import { AgentFixture, Held, says, wants } from '../node/agent-fixture.ts';
import { Line } from '../node/client.ts';
import { signUp } from '../node/tenant.ts';
import { answer, Receiver } from '../support/receiver.ts';
import { TestCluster } from './support/cluster.ts';

t.test('the other node finishes the run: one answer, and no call is made again', async t => {
  const model = await Receiver.start();
  t.teardown(() => model.stop());
  const environment = { LLM_PROVIDER_1_URL: model.url('/v1') };
  const cluster = await TestCluster.start(t, { nodes: 2, environment });
  const [survivor, victim] = cluster.running;
  if (survivor === undefined || victim === undefined) throw new Error('two nodes were started');
  const line = new Line(survivor.url, t);
  const fixture = await AgentFixture.start(t, await signUp(line), model, { orders: 2 });
  const isVictims = await cluster.ownership(victim);

  /** A question on a thread that the victim has. */
  const asked = async (): Promise<{ question: string; threadId: string }> => {
    for (let n = 1; ; n++) {
      const question = `Where is order ${n}?`;
      const { threadId } = await fixture.ask(question);
      if (isVictims(threadId)) return { question, threadId };
    }
  };
  const { question, threadId } = await asked();
  const second = new Held();
  fixture.script(question, wants('orders'), second.behaviour, says('In the post.'));
  fixture.tool('orders', answer(200, { 'content-type': 'application/json' }, '{"ok":true}'));
  const run = await fixture.send(threadId, 'auto');
  await second.asked;
  await victim.kill();

  const { trace } = await fixture.end(run, 'succeeded');
  t.match(trace, {
    steps: [{ toolCalls: [{ status: 'succeeded', attempts: 1 }] }, { output: 'In the post.' }],
  });
  t.strictSame(fixture.getKeys('orders'), [`${run.agentRunId}.1.1`]);
  t.equal(fixture.prompts.get(question)?.length, 3, 'the step that was out was asked again, once');
  t.strictSame(await fixture.sent(threadId), [{ by: 'agent', body: 'In the post.' }]);
  const succeeded = fixture.stream.events.filter(({ event }) => event.eventName === 'agent.run.succeeded');
  t.equal(succeeded.length, 1);
});
