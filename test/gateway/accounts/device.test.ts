import t from 'tap';
import { describeDevice } from '../../../gateway/accounts/device.ts';

const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0';
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';
const edge =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0';
const android =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36';
const mac =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15';

t.test('browsers by their own name, not by those that they descend from', async t => {
  t.same(describeDevice(firefox), { browser: 'Firefox', system: 'Windows' });
  t.same(describeDevice(safari), { browser: 'Safari', system: 'iOS' });
  t.same(describeDevice(edge), { browser: 'Edge', system: 'Windows' });
  t.same(describeDevice(android), { browser: 'Chrome', system: 'Android' });
  t.same(describeDevice(mac), { browser: 'Safari', system: 'macOS' });
});

t.test('programs by what they call themselves, and nothing else of what they send', async t => {
  t.same(describeDevice('curl/8.5.0'), { browser: 'curl', system: null });
  t.same(describeDevice('skein-cli/0.3 (linux)'), { browser: 'skein-cli', system: 'Linux' });
  t.same(describeDevice('<script>alert(1)</script>'), { browser: null, system: null });
  t.same(describeDevice(''), { browser: null, system: null });
  t.same(describeDevice(null), { browser: null, system: null });
});
