/** What an account reports of itself. */
import t from 'tap';
import { readAccountReport } from '../../../actors/chatapp/management.ts';
import { createEnvelope } from '../../support/chatapp-provider/index.ts';

const identity = { wabaId: '100', phoneNumberId: '200' };
const value = {
  event: 'REJECTED',
  message_template_id: 1_689_556_908_129_832,
  message_template_name: 'order_sent',
  message_template_language: 'en_US',
  message_template_category: 'UTILITY',
  reason: 'INVALID_FORMAT',
};
const read = (field: string, more: object, accountId = identity.wabaId) =>
  readAccountReport(createEnvelope(accountId, field, { ...value, ...more }, 1_795_000_000), identity);
const readTemplate = (more: object) => read('message_template_status_update', more).templates[0];

t.test('the status of a template', async t => {
  t.same(readTemplate({}), {
    key: '1689556908129832:REJECTED:1795000000',
    template: {
      id: '1689556908129832',
      name: 'order_sent',
      language: 'en_US',
      status: 'REJECTED',
      category: 'UTILITY',
      components: [],
    },
    reason: 'INVALID_FORMAT',
  });
  t.equal(readTemplate({ reason: null })?.reason, null);
  t.equal(readTemplate({ reason: 'NONE' })?.reason, null);
  // More digits than a number keeps.
  t.equal(readTemplate({ message_template_id: 2 ** 60 })?.template.id, 'order_sent/en_US');
  t.equal(readTemplate({ message_template_id: '77' })?.template.id, '77');
});

t.test('what says nothing of a template is left alone', async t => {
  for (const more of [
    { event: '' },
    { message_template_name: undefined },
    { message_template_language: 'x'.repeat(33) },
  ]) {
    t.equal(readTemplate(more), undefined, JSON.stringify(more));
  }
  t.same(read('message_template_quality_update', {}), { templates: [], isAccountChanged: false });
  t.same(read('message_template_status_update', {}, '101').templates, [], 'of another account');
  t.same(readAccountReport(undefined, identity), { templates: [], isAccountChanged: false });
});

t.test('something has happened to the account', async t => {
  t.equal(read('account_update', { event: 'DISABLED_UPDATE' }).isAccountChanged, true);
  t.equal(read('account_update', { event: 'PARTNER_REMOVED' }, 'portfolio').isAccountChanged, true);
  t.equal(read('account_update', { event: 'DISABLED_UPDATE' }, '101').isAccountChanged, false);
});
