/**
 * npm run fuzz                           runs every property test with a fresh seed, which it prints
 * npm run fuzz -- --seed S [file ...]    with that seed, all of them or those that are named
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' } },
  allowPositionals: true,
});
const seed = Number(values.seed ?? randomInt(2 ** 31));
if (!Number.isSafeInteger(seed)) throw new RangeError(`--seed must be a whole number, not ${values.seed}`);

const files =
  positionals.length > 0
    ? positionals
    : globSync('test/**/*.test.ts').filter(file =>
        /support\/fuzz\.ts|\.property\.ts/.test(readFileSync(file, 'utf8')),
      );
const tell = (): void => void process.stdout.write(`# seed ${seed}: npm run fuzz -- --seed ${seed}\n`);

tell();
const runner = spawn(process.execPath, [fileURLToPath(new URL('main.ts', import.meta.url)), ...files], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_SEED: String(seed) },
});
const [code] = (await once(runner, 'exit')) as [number | null];
tell();
process.exitCode = code ?? 1;
