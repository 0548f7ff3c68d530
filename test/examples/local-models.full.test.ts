/** examples/local-models: a node asks it in all three wire formats, as the guide has it done. */
import t from 'tap';
import { signUp } from '../../bench/demo/account.ts';
import { ConsoleStream } from '../../bench/demo/console-stream.ts';
import { startTestDatabase } from '../support/database.ts';
import { answer, Receiver } from '../support/receiver.ts';
import { startSkeinOn } from '../support/skein.ts';
import { createChannelAgent } from './channel-agent.ts';
import { Example } from './example.ts';

const providers = ['llm_provider_1', 'llm_provider_2', 'llm_provider_3'] as const;

const { example } = await Example.listening(t, 'local-models', {});
await example.said(/OPENAI_KEY/);
/** The variables, as they are printed for the shell. */
const variables = Object.fromEntries(
  example.lines.flatMap(line => {
    const [, name, value] = /^ {2}export (\w+)=(\S+)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  }),
);
const { OPENAI_KEY: secret = '', ...urls } = variables;

const { url: databaseUrl } = await startTestDatabase(t);
const { url } = await startSkeinOn(t, databaseUrl, { ALLOW_PRIVATE_ADDRESSES: 'true', ...urls });
const { api, accessToken, projectId, environmentId } = await signUp(url);
const stream = new ConsoleStream(url, projectId, accessToken);
await stream.open();
t.teardown(() => stream.close());
const tool = await Receiver.start();
t.teardown(() => tool.stop());
tool.behaviour = answer(200, { 'content-type': 'application/json' }, '{"refunded":"49 euros"}');
const { toolId } = await api.post<{ toolId: string }>('/tools', {
  projectId,
  name: 'refund_order',
  url: tool.url('/refunds'),
  inputSchema: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
});

for (const provider of providers) {
  t.test(`an agent of ${provider}`, async t => {
    const { channelId } = await api.post<{ channelId: string }>('/channels', {
      projectId,
      environmentId,
      name: 'Custom',
      kind: 'custom',
    });
    await createChannelAgent(api, {
      projectId,
      channelId,
      name: 'Local',
      systemPrompt: 'You are kind.',
      provider,
      model: 'local',
      toolId,
      secret,
    });

    async function say(who: string, body: string, eventName: string) {
      const { threadId } = await api.post<{ threadId: string }>(
        `/channels/${channelId}/inbound-messages`,
        { projectId, externalParticipantRef: who, body },
        `${provider}-${who}`,
      );
      const { event } = await stream.find(
        each => each.event.eventName === eventName && each.event.data['threadId'] === threadId,
      );
      const pieces = stream.ephemeral.filter(
        each => each.eventName === 'agent.output.delta' && each.data['threadId'] === threadId,
      );
      return { data: event.data, pieces: pieces.length };
    }

    t.test('streams its answer, and says back what it was told', async t => {
      const { data, pieces } = await say('ada', 'When do you open?', 'thread.message.created');
      const body =
        'Thank you for your message. You wrote: “When do you open?”. I am a local model for trying things out.';
      t.match(data, { message: { body } });
      // A busy machine sends several pieces at once.
      t.ok(pieces > 0, `${pieces} pieces`);
    });

    t.test('calls the tool whose name fits', async t => {
      const { data } = await say('bob', 'Please refund the order A17.', 'thread.message.created');
      t.match(data, { message: { body: /^This is what I found: .*49 euros/ } });
      t.same(JSON.parse(tool.received.at(-1)?.body ?? ''), { orderId: 'A17' });
    });

    t.test('hands over to a human', async t => {
      const { data } = await say('eve', 'I want a human.', 'agent.handoff.requested');
      t.match(data, { reason: 'They wrote: I want a human.' });
    });
  });
}
