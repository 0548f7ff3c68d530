/**
 * A chat provider of one's own, to connect a channel of one's own node to: docs/guide/channels.md goes through it. There is one business
 * with one number, and the participants are played over HTTP:
 *
 *   GET  /dialog/oauth     the page of the sign-up in the browser, to which Studio leads
 *   GET  /demo/business    the app, its secret, and a token that reaches the business account
 *   GET  /demo/code        a new code of the sign-up in the browser, which lives 30 seconds
 *   POST /demo/write       {from, name?, text}: a participant writes; {from, name?, message}: anything else, as the provider puts it
 *   GET  /demo/phones      what participants have received
 *
 * Whatever is sent to a participant is delivered and read a moment later.
 */
import { setTimeout as pause } from 'node:timers/promises';
import {
  ChatappProvider,
  type Json,
  readFields,
  readText,
  type Route,
  type SentMessage,
} from '../../../test/support/chatapp-provider/index.ts';
import { display } from '../display.ts';
import { type Business, openBusiness } from './business.ts';

const reportAfterMs = 300;

/** Takes a line about what happens. */
type Tell = (line: string) => void;

/** Starts the provider, with templates to begin a conversation with. */
export async function startDemoProvider(port: number, tell: Tell): Promise<ChatappProvider> {
  const provider = await ChatappProvider.start({ port });
  const business = openBusiness(provider);
  const { id } = business.account;
  provider.templates.add(id, { name: 'order_sent', body: 'Hello {{1}}, your order {{2}} is on its way.' });
  provider.templates.add(id, { name: 'autumn_sale', body: 'Everything for less', status: 'PENDING' });
  provider.routes.push(createRoute(provider, business, tell));
  provider.messages.accepted = message => {
    tell(`to ${message.to}: ${showMessage(message)}`);
    void receive(provider, message);
  };
  return provider;
}

/** `npm run demo:chatapp -- --serve`: until Ctrl-C. */
export async function serve(port: number): Promise<void> {
  const provider = await startDemoProvider(port, line => display.note(line));
  const business = (await (await fetch(`${provider.url}/demo/business`)).json()) as Json;
  display.title(`A chat provider listens on ${provider.url}`);
  display.note('In another terminal, start a node that knows it:');
  display.note(`CHATAPP_GRAPH_URL=${provider.url} npm start`);
  display.note(`Its app: ${readText(business, 'appId')}, with the secret ${readText(business, 'appSecret')}`);
  display.note('Then go on with "Connect a chatapp channel" in docs/guide/channels.md. Ctrl-C ends it.');
  let stopped: Promise<void> | undefined;
  // npm and the launcher repeat a signal.
  const stop = (): void => void (stopped ??= provider.stop().then(() => process.exit()));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
}

function createRoute(provider: ChatappProvider, business: Business, tell: Tell): Route {
  const { accounts, messages } = provider;
  const { app, account, number } = business;
  return async request => {
    if (request.path[0] !== 'demo') return undefined;
    switch (`${request.method} ${request.path[1]}`) {
      case 'GET business': {
        const { value } = accounts.addToken(app, account);
        const { id: phoneNumberId, displayPhoneNumber } = number;
        const ids = { appId: app.id, appSecret: app.secret, wabaId: account.id, phoneNumberId };
        return { body: { ...ids, displayPhoneNumber, accessToken: value } };
      }
      case 'GET code':
        return { body: { code: accounts.addCode(accounts.addToken(app, account)) } };
      case 'GET phones': {
        const data = messages.sent.map(sent => ({ to: sent.to, text: showMessage(sent) }));
        return { body: { data } };
      }
      case 'POST write': {
        const fields = readFields(request);
        const phone = readText(fields, 'from');
        const name = readText(fields, 'name');
        const participant = name === '' ? { phone } : { phone, name };
        const text = readText(fields, 'text');
        const message = text === '' ? (fields['message'] as Json) : { type: 'text', text: { body: text } };
        tell(`from ${phone}: ${text === '' ? `[${readText(message, 'type')}]` : text}`);
        const { id, deliveries } = await provider.write(number, participant, message);
        return { body: { id, taken: deliveries.every(({ delivered }) => delivered) } };
      }
      default:
        return undefined;
    }
  };
}

/** The participant's phone gets it, and then they look at it. */
async function receive(provider: ChatappProvider, message: SentMessage): Promise<void> {
  for (const status of ['sent', 'delivered', 'read'] as const) {
    await pause(reportAfterMs, undefined, { ref: false });
    await provider.report(message, status);
  }
}

/** What a person sees of a message. */
function showMessage({ type, message }: SentMessage): string {
  const node = (message[type] ?? {}) as Json;
  switch (type) {
    case 'text':
      return readText(node, 'body');
    case 'template':
      return `[template ${readText(node, 'name')}]`;
    case 'reaction':
      return `[reaction ${readText(node, 'emoji')}]`;
    default:
      return `[${type}] ${readText(node, 'caption')}`.trimEnd();
  }
}
