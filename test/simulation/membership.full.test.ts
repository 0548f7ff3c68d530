/** What membership costs by the number of nodes is what docs/operate/capacity.md calculates. */
import t from 'tap';
import { readDocument, section, tableRows } from '../docs/markdown.ts';
import { expectedRates, sum } from './membership-traffic.ts';
import { simulateMembership } from './membership.ts';

t.test('the steady traffic is what its formula says', async t => {
  for (const nodes of [1, 2, 3, 10]) {
    const expected = expectedRates(nodes);
    const { steady, steadyBytes, joinedMs, tookOverMs } = await simulateMembership({
      nodes,
      seconds: 52,
      seed: nodes,
    });
    for (const kind of ['changes', 'writes', 'reads', 'pings'] as const) {
      // Whether the first and the last of a node's beats are within the window is chance.
      const difference = Math.abs(steady[kind] / expected[kind] - 1);
      t.ok(expected[kind] === steady[kind] || difference < 0.02, `${nodes} nodes, ${kind}: ${steady[kind]}`);
    }
    t.ok(steadyBytes > 50 * sum(steady) && steadyBytes < 400 * sum(steady), `${steadyBytes} bytes`);
    t.ok(joinedMs > 2_000 && joinedMs < 8_000, `joined after ${joinedMs} ms`);
    t.ok(tookOverMs > 150 && tookOverMs < 3_000, `taken over after ${tookOverMs} ms`);
  }
});

t.test('a seed gives the same run every time', async t => {
  const run = async (seed: number): Promise<object> => {
    const { processor, ...counted } = await simulateMembership({ nodes: 4, seconds: 5, seed });
    t.ok(processor > 0);
    return counted;
  };
  const first = await run(7);
  t.same(await run(7), first);
  t.notSame(await run(8), first);
});

t.test('capacity.md has the rates by the formula', async t => {
  const rows = tableRows(section(readDocument('docs/operate/capacity.md'), 'Membership by nodes'));
  t.same(
    rows.map(([nodes, formula]) => [nodes, formula]),
    [3, 10, 25, 50, 100, 200].map(nodes => [
      String(nodes),
      Math.round(sum(expectedRates(nodes))).toLocaleString('en-US'),
    ]),
  );
});
