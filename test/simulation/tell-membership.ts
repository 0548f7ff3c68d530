/** The table of docs/operate/capacity.md ("Membership by nodes"): what membership costs by the number of nodes. */
import { expectedRates, sum } from './membership-traffic.ts';
import { simulateMembership } from './membership.ts';

const head = [
  'nodes',
  'by the formula',
  'counted',
  'kB a second',
  'while one joins',
  'while one dies',
  'joined after',
  'taken over after',
  'processor of a node',
];

const count = (value: number): string => Math.round(value).toLocaleString('en-US');
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Prints a row as soon as it is known. Messages are those of a second. */
export async function tellMembership(
  counts: readonly number[],
  seed: number,
  write: (line: string) => void,
): Promise<void> {
  write(row(head));
  write(`|${'---:|'.repeat(head.length)}`);
  for (const nodes of counts) {
    const found = await simulateMembership({ nodes, seed });
    write(
      row([
        String(nodes),
        count(sum(expectedRates(nodes))),
        count(sum(found.steady)),
        count(found.steadyBytes / 1_000),
        count(found.joins),
        count(found.dies),
        seconds(found.joinedMs),
        seconds(found.tookOverMs),
        `${(found.processor * 100).toFixed(2)} %`,
      ]),
    );
  }
}
