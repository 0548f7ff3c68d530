/** Several tabs of one operator: which of them is looked at. */
import t, { type Test } from 'tap';
import { Tabs } from '../../../../clients/console/notifications/tabs.ts';
import { eventually } from '../../../support/eventually.ts';

function openTab(t: Test, name: string) {
  const state = { isAway: true, now: 0, elsewhere: 0, due: undefined as (() => void) | undefined };
  const tabs = new Tabs({
    isAway: () => state.isAway,
    now: () => state.now,
    schedule: work => {
      state.due = work;
      return () => (state.due = undefined);
    },
  });
  // Node's has a type of its own for what comes.
  const channel = new BroadcastChannel(name) as unknown as Parameters<Tabs['open']>[0];
  tabs.open(channel, () => void state.elsewhere++);
  t.teardown(() => tabs.close());
  const look = (isAway: boolean): void => {
    state.isAway = isAway;
    tabs.look();
  };
  return { tabs, state, look };
}

t.test('a tab in the background is silent while another one is looked at', async t => {
  const [front, back] = [openTab(t, 'two-tabs'), openTab(t, 'two-tabs')];
  const other = openTab(t, 'another-environment');
  t.equal(back.tabs.areAllAway(), true);
  front.look(false);
  await eventually('it has heard', async () => !back.tabs.areAllAway());
  t.equal(back.state.elsewhere, 1);
  t.equal(front.tabs.areAllAway(), false, 'it is itself looked at');
  t.equal(other.tabs.areAllAway(), true);
  front.look(true);
  await eventually('it has heard', async () => back.tabs.areAllAway());
  t.equal(front.state.due, undefined, 'and says nothing more');
});

t.test('a tab that dies is forgotten, one that is looked at for long is not', async t => {
  const [front, back] = [openTab(t, 'long'), openTab(t, 'long')];
  front.look(false);
  await eventually('it has heard', async () => back.state.elsewhere === 1);
  back.state.now += 4_000;
  front.state.due?.();
  await eventually('it has heard again', async () => back.state.elsewhere === 2);
  back.state.now += 4_000;
  t.equal(back.tabs.areAllAway(), false);
  back.state.now += 2_000;
  t.equal(back.tabs.areAllAway(), true);
});

t.test('a tab that is closed says so', async t => {
  const [front, back] = [openTab(t, 'closed'), openTab(t, 'closed')];
  front.look(false);
  await eventually('it has heard', async () => !back.tabs.areAllAway());
  front.tabs.close();
  await eventually('it has heard', async () => back.tabs.areAllAway());
  t.pass();
});
