/**
 * `npm run doctor`: looks at everything that a node with this environment uses: configuration, disk, database, schema, clock, keys, NATS, files, mail,
 * certificate, address. Runs before the first start, beside a node, and when something is wrong.
 *
 * Exit codes: 0 nothing failed; 1 something did; 64 wrong arguments.
 */
import { parseArgs } from 'node:util';
import { examine, type Finding } from './diagnosis/index.ts';
import { readVersion, Refused, runCommand, say } from './operator-command.ts';

const usage = `Usage: npm run doctor [-- --json]

Looks at everything that a node with this environment uses, and changes nothing. Exit code 1 if a check fails.

  --json    a JSON object for each check, on a line of its own
`;

function parse(given: readonly string[]): { readonly isJson: boolean; readonly isHelp: boolean } {
  try {
    const { values } = parseArgs({
      args: [...given],
      options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
    });
    return { isJson: values.json, isHelp: values.help };
  } catch (error) {
    throw new Refused(`${(error as Error).message}\n\n${usage}`, 64);
  }
}

function format({ check, result, detail }: Finding): string {
  return `${result.padEnd(6)}  ${check.padEnd(13)}  ${detail}`;
}

async function run(given: readonly string[]): Promise<number> {
  const { isJson, isHelp } = parse(given);
  if (isHelp) {
    say(usage);
    return 0;
  }
  let failures = 0;
  for await (const finding of examine(process.env, readVersion())) {
    if (finding.result === 'failed') failures += 1;
    say(isJson ? JSON.stringify(finding) : format(finding));
  }
  return failures === 0 ? 0 : 1;
}

await runCommand('doctor', run);
