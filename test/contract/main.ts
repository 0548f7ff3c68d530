/** Prints what the contract tests cover, as docs/develop/contract.md has it. */
import { coverage } from './coverage.ts';

for (const [what, numbers] of coverage()) process.stdout.write(`| ${what} | ${numbers} |\n`);
