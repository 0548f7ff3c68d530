/** Templates as they are read, filled and checked. */
import t from 'tap';
import { Graph } from '../../../actors/chatapp/graph.ts';
import {
  describeTemplate,
  findTemplate,
  findTemplateObstacle,
  listTemplates,
} from '../../../actors/chatapp/templates.ts';
import type { ChatappTemplate } from '../../../protocol/resources/channel.ts';
import { ChatappProvider } from '../../support/chatapp-provider/index.ts';

const text = (value: string, more: object = {}) => ({ type: 'text', text: value, ...more });
const order: ChatappTemplate = {
  id: '1',
  name: 'order_sent',
  language: 'en_US',
  status: 'APPROVED',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
    { type: 'BODY', text: 'Dear {{1}}, you pay {{2}} on {{3}}. {{1}}!' },
    { type: 'FOOTER', text: 'Acme' },
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thanks' }] },
  ],
};
const filled = [
  { type: 'header', parameters: [text('17')] },
  {
    type: 'body',
    parameters: [
      text('Ada'),
      { type: 'currency', currency: { fallback_value: '5 €', code: 'EUR', amount_1000: 5_000 } },
      { type: 'date_time', date_time: { fallback_value: 'Monday' } },
    ],
  },
];

t.test('the body of the message is what the receiver reads', async t => {
  t.equal(
    describeTemplate(order, order.name, filled),
    'Order 17\n\nDear Ada, you pay 5 € on Monday. Ada!\n\nAcme',
  );
  const named = { ...order, components: [{ type: 'BODY', text: 'Hello {{first_name}}, {{other}}' }] };
  const given = [{ type: 'BODY', parameters: [text('Ada', { parameter_name: 'first_name' })] }];
  t.equal(describeTemplate(named, order.name, given), 'Hello Ada, {{other}}');
  const pictured = {
    ...order,
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Look' },
    ],
  };
  t.equal(describeTemplate(pictured, order.name, []), '[image]\n\nLook');
  t.equal(
    describeTemplate(undefined, order.name, filled),
    '[Template: order_sent]',
    'of one that is not known',
  );
});

t.test('what does not fit is found before it is sent', async t => {
  const find = (template: Partial<ChatappTemplate>, sent: typeof filled | readonly object[]) =>
    findTemplateObstacle({ ...order, ...template }, sent as typeof filled)?.field;
  t.equal(find({}, filled), undefined);
  t.equal(find({ status: 'PAUSED' }, filled), 'templateName');
  t.equal(find({}, filled.slice(1)), 'components', 'no header');
  t.equal(find({}, [filled[0] ?? {}, { type: 'body', parameters: [text('Ada')] }]), 'components', 'too few');
  const components = [{ type: 'BODY', text: 'Hello {{first_name}}' }];
  const body = (name: string) => [{ type: 'body', parameters: [text('Ada', { parameter_name: name })] }];
  t.equal(find({ components }, body('first_name')), undefined);
  t.equal(find({ components }, body('last_name')), 'components', 'another name');
  const picture = [{ type: 'HEADER', format: 'IMAGE' }];
  t.equal(find({ components: picture }, []), 'components', 'no picture');
  const image = { type: 'image', image: { id: '1' } };
  t.equal(find({ components: picture }, [{ type: 'header', parameters: [image] }]), undefined);
});

t.test('a parameter that the provider would not take is found, too', async t => {
  const template = { ...order, components: [{ type: 'BODY', text: 'Hello {{1}}' }] };
  const find = (value: string) =>
    findTemplateObstacle(template, [{ type: 'body', parameters: [text(value)] }])?.field;
  for (const good of ['Ada', 'a    b', '😀'.repeat(1_024)]) t.equal(find(good), undefined);
  for (const bad of ['', ' ', 'a\nb', 'a\tb', 'a     b', 'x'.repeat(1_025)]) t.equal(find(bad), 'components');
});

t.test('the list is read page by page, and one template by its very name', async t => {
  const provider = await ChatappProvider.start();
  t.teardown(() => provider.stop());
  const { accounts, templates } = provider;
  const app = accounts.addApp();
  const account = accounts.addAccount();
  const as = { token: accounts.addToken(app, account).value, appSecret: app.secret };
  const graph = new Graph({ url: provider.url, version: 'v25.0' });
  const signal = AbortSignal.timeout(20_000);
  for (const name of ['order_sent_again', 'order_sent', 'other']) templates.add(account.id, { name });
  templates.add(account.id, { name: 'order_sent', language: 'de', status: 'PENDING' });
  const list = (more: object) => listTemplates(graph, as, { wabaId: account.id, limit: 2, ...more }, signal);
  const first = await list({});
  t.same(
    first.templates.map(({ name }) => name),
    ['order_sent_again', 'order_sent'],
  );
  const second = await list({ after: first.next });
  t.same([second.templates.length, second.next], [2, undefined]);
  const [german] = (await list({ status: 'PENDING' })).templates;
  t.match(german, { language: 'de', status: 'PENDING', category: 'UTILITY', components: [{ type: 'BODY' }] });
  const find = (language: string) =>
    findTemplate(graph, as, { wabaId: account.id, name: 'order_sent', language }, signal);
  t.match(await find('en_US'), { name: 'order_sent', language: 'en_US' });
  t.equal(await find('fr'), undefined);
});
