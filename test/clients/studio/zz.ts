import t from 'tap';
import { startChromium } from '../../support/chromium.ts';
import { Receiver } from '../../support/receiver.ts';
import { openConsole, receive, startConsole } from '../console/console-page.ts';

const setting = await startConsole(t, { ALLOW_PRIVATE_ADDRESSES: 'true' });
const { projectId, environmentId, owner } = setting;
const browser = await startChromium(t);
const receiver = await Receiver.start();
t.teardown(() => receiver.stop());
const { stitch } = await owner.api.stitches.create({
  projectId,
  environmentId,
  name: 'Shop events',
  webhookUrl: receiver.url('/events'),
});
for (const [a, b] of [
  ['maya', 'Hello, where is my order?'],
  ['jonas', 'I would like a refund.'],
] as const)
  await receive(setting, a, b);
await receiver.arrived(4);
const at = (rest: string) => `/studio/${projectId}/${environmentId}${rest}`;
const pages: [string, string, object?][] = [
  ['home', at('')],
  ['keys', at('/keys')],
  ['channels', at('/channels')],
  ['channel', at(`/channels/${setting.channelId}`)],
  ['webhook', at(`/webhooks/${stitch.stitchId}`)],
  ['events', at('/events')],
  ['events-dark', at('/events'), { colorScheme: 'dark' }],
  ['webhook-phone', at(`/webhooks/${stitch.stitchId}`), { viewport: { width: 390, height: 780 } }],
  ...process.argv.slice(2).map(x => [x.replaceAll('/', '_'), at(`/${x}`)] as [string, string]),
];
for (const [name, path, more] of pages) {
  const page = await openConsole(t, browser, setting, owner, {
    path,
    viewport: { width: 1280, height: 800 },
    ...more,
  });
  await page.waitForTimeout(1500);
  await page.screenshot({ path: `/tmp/w/shots/${name}.png` });
}
t.pass('x');
