/** The queues: what is asked for, and what belongs to them. */
import t from 'tap';
import { belongs, createQuery, getApplicable } from '../../../../clients/console/live/queues.ts';
import { create, me, start } from './thread-list/listed-threads.ts';

t.test('filters that a queue has set already say nothing in it', async t => {
  const surroundings = { userId: me, now: start };
  const mine = { ...create('thread_a'), assigneeUserId: me };
  const filters = { assigneeUserId: ['user_other'], tag: ['vip'] };
  t.match(createQuery('mine', filters, surroundings), { assigneeUserId: [me], tag: ['vip'] });
  t.equal(belongs(mine, 'mine', { assigneeUserId: ['user_other'] }, surroundings), true);
  const paused = { ...create('thread_a'), agentMode: 'paused' as const };
  t.match(createQuery('paused', { agentMode: ['auto'] }, surroundings), { agentMode: ['paused'] });
  t.equal(belongs(paused, 'paused', { agentMode: ['auto'] }, surroundings), true);
  t.strictSame(getApplicable('all', { q: 'parcel', unread: true }), { unread: true });
});
