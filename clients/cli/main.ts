#!/usr/bin/env node
/** `skein`. What can be answered without the commands is: they cost their reading. */
import packageJson from './package.json' with { type: 'json' };

const words = process.argv.slice(2);
const oldestNode = 22;
if (Number.parseInt(process.versions.node, 10) < oldestNode) {
  process.stderr.write(`skein needs Node ${oldestNode} or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 1;
} else if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${packageJson.version}\n`);
} else {
  const { run } = await import('./run.ts');
  await run(words, packageJson.version);
}
