#!/usr/bin/env node
/** `skein`. What can be answered without the commands is: they cost their reading. */
import packageJson from './package.json' with { type: 'json' };

const words = process.argv.slice(2);
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) {
  process.stdout.write(`${packageJson.version}\n`);
} else {
  const { run } = await import('./run.ts');
  await run(words, packageJson.version);
}
