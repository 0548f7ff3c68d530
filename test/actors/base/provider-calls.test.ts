import { Registry } from 'prom-client';
import t from 'tap';
import { ProviderCalls } from '../../../actors/base/provider-calls.ts';

t.test('calls are counted by provider and outcome', async t => {
  const registry = new Registry();
  const calls = new ProviderCalls(registry);
  calls.count('chatapp', 'succeeded');
  calls.count('chatapp', 'succeeded');
  calls.count('chatapp', 'timeout');
  calls.count('llm_provider_1', 'rate_limited');
  const read = async (): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter(line => line.startsWith('skein_provider_calls_total{'));
  const counted = [
    'skein_provider_calls_total{provider="chatapp",outcome="succeeded"} 2',
    'skein_provider_calls_total{provider="chatapp",outcome="timeout"} 1',
    'skein_provider_calls_total{provider="llm_provider_1",outcome="rate_limited"} 1',
  ];
  t.strictSame(await read(), counted);
  t.strictSame(await read(), counted, 'a scrape changes nothing');
});
