/** The scenes in which something fails: a token that expires, and a node that is killed. */
import type { Delivery } from '../../../test/support/chatapp-provider/index.ts';
import { display, since } from '../display.ts';
import { connectChannel } from './business.ts';
import { accepted, answer, inTime, next, type Setting, write } from './setting.ts';

const burstSize = 600;
const participants = 24;
/** What the provider answers from then on: the token has expired. */
const expired = 463;

export async function expiredToken(setting: Setting): Promise<void> {
  display.title('The access token expires, and the channel is connected again');
  const { provider, business, api, partnerAppCredentialId } = setting;
  const edsger = { phone: '15550103', name: 'Edsger' };
  const question = { type: 'text', text: { body: 'Are you still there?' } };
  const { threadId } = await write(setting, edsger, question);
  for (const token of provider.accounts.listTokens()) token.revoked = expired;
  let from = performance.now();
  const { messageId } = await answer(setting, threadId, 'We are.');
  await next(setting, 'channel.credential.expired', from);
  display.hop('the provider refuses it: channel.credential.expired', since(from));
  const isError = (data: Readonly<Record<string, unknown>>): boolean =>
    (data['channel'] as { readonly status: string }).status === 'error';
  await next(setting, 'channel.status.changed', from, isError);
  display.hop("the channel's status is error; the answer stays queued");

  from = performance.now();
  const taken = accepted(setting);
  const code = provider.accounts.addCode(provider.accounts.addToken(business.app, business.account));
  await connectChannel(api, setting, { code, partnerAppCredentialId });
  display.hop('connected again by a new code', since(from));
  const { callbackData } = await taken;
  if (callbackData !== messageId) throw new Error('another message was sent');
  display.hop('the answer that waited has been sent', since(from), messageId);
}

export async function killedNode(setting: Setting): Promise<void> {
  const { server, provider, business, stream } = setting;
  display.title(`${burstSize} webhooks, and SIGKILL between webhook and commit`);
  // For as long as a start takes, and longer.
  provider.deliveries.retryMs = Array.from({ length: 200 }, () => 200);
  const show = display.progress('answered 200', burstSize);
  const ids: string[] = [];
  const deliveries: Delivery[] = [];
  let kill: Promise<void> | undefined;
  let sent = 0;
  const participant = async (index: number): Promise<void> => {
    const phone = String(15_560_000_000 + index);
    while (sent < burstSize) {
      const text = { body: `message ${++sent}` };
      const written = await provider.write(business.number, { phone }, { type: 'text', text });
      ids.push(written.id);
      deliveries.push(...written.deliveries);
      show(ids.length);
      if (ids.length >= burstSize / 2) kill ??= killAndStart(setting);
    }
  };
  await inTime(Promise.all(Array.from({ length: participants }, (_, index) => participant(index))), 'answer');
  display.breakLine();
  await kill;
  await stream.open();
  const repeated = deliveries.filter(({ attempts }) => attempts.length > 1).length;
  display.hop(`${repeated} webhooks got no answer, and came again`);
  await verify(setting, ids);
  display.note(`the node serves on ${server.url}`);
}

async function killAndStart({ server, stream }: Setting): Promise<void> {
  await server.kill();
  stream.close();
  display.breakLine();
  display.hop('node killed');
  display.hop('node started again on the same data', await server.start());
}

/** Every message is there once; waits until the node has worked through what it had answered. */
async function verify(setting: Setting, ids: readonly string[]): Promise<void> {
  const { api, projectId, channelId } = setting;
  const from = performance.now();
  const look = async (): Promise<void> => {
    for (;;) {
      const threads = await api.all<{ threadId: string; externalRef: string | null }>(
        `/threads?projectId=${projectId}&channelId=${channelId}`,
      );
      const found: string[] = [];
      for (const { threadId, externalRef } of threads) {
        if (externalRef?.startsWith('1556') !== true) continue;
        const path = `/threads/${threadId}/messages?projectId=${projectId}&order=asc`;
        const messages = await api.all<{ externalMessageId: string }>(path);
        found.push(...messages.map(({ externalMessageId }) => externalMessageId));
      }
      if (new Set(found).size !== found.length) throw new Error('a message is there twice');
      if (ids.every(id => found.includes(id)) && found.length === ids.length) return;
    }
  };
  await inTime(look(), 'end of the burst');
  display.hop(`${ids.length} messages written, ${ids.length} stored, each once`, since(from));
}
