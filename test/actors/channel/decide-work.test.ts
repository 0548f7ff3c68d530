/** A chatapp channel does one task at a time of each sort of work, and none of what has come meanwhile is left. */
import t from 'tap';
import type { WorkDone } from '../../../actors/channel/commands.ts';
import { noChatapp } from '../../../actors/channel/state.ts';
import { ChannelHarness } from './channel-harness.ts';
import { start } from '../thread/thread-harness.ts';

class WorkingChannel extends ChannelHarness {
  constructor() {
    super();
    this.create('chatapp');
  }

  /** Give how many tasks begin. */
  work(sort: WorkDone['work'] = 'webhooks'): number {
    this.do('work', { work: sort });
    return this.effects?.length ?? 0;
  }

  worked(done: Omit<WorkDone, 'work'>): number {
    this.do('worked', { work: 'webhooks', ...done });
    return this.effects?.length ?? 0;
  }
}

t.test('one task at a time does it, and another follows where more has come', async t => {
  const channel = new WorkingChannel();
  t.same([channel.work(), channel.work(), channel.work()], [1, 0, 0]);
  t.equal(channel.worked({ hasMore: false }), 1, 'for what came meanwhile');
  t.equal(channel.worked({ hasMore: true }), 1, 'for what one task does not do');
  t.equal(channel.worked({ hasMore: false }), 0);
  t.equal(channel.work(), 1);
});

t.test('a reminder begins what can be done later only', async t => {
  const channel = new WorkingChannel();
  channel.work();
  t.equal(channel.worked({ hasMore: false, nextAt: start + 6_000 }), 0);
  const reminder = {
    key: 'work:webhooks',
    at: start + 6_000,
    command: 'work',
    payload: { work: 'webhooks' },
  };
  t.same(channel.remind, [reminder]);
  channel.work();
  channel.work();
  t.equal(channel.worked({ hasMore: false, nextAt: start + 6_000 }), 1, 'more has come');
  t.same(channel.remind, []);
});

t.test('when the provider last posted is kept once a minute, whatever else the channel does', async t => {
  const channel = new WorkingChannel();
  channel.do('work', { work: 'webhooks', isPosted: true });
  t.equal(channel.state.chatapp, null, 'it was never connected');
  channel.state = { ...channel.state, chatapp: noChatapp };
  channel.work();
  t.equal(channel.state.chatapp?.postedAt, undefined, 'nobody has posted');
  const post = (at: number) => {
    channel.now = at;
    channel.do('work', { work: 'webhooks', isPosted: true });
    return channel.state.chatapp?.postedAt;
  };
  const iso = (at: number): string => new Date(at).toISOString();
  t.equal(post(start), iso(start), 'while its task is at work');
  t.equal(post(start + 59_999), iso(start));
  t.equal(post(start + 60_000), iso(start + 60_000));
});
