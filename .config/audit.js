// @ts-check
/**
 * Asks the registry for known vulnerabilities of what the product runs with. Exits with 1 where there is a high or critical one. A registry
 * that has no such service (a mirror, or none within reach) is named, and is no failure: then nothing is known, and the exit code is 0.
 *
 *     npm run audit
 */
import { spawnSync } from 'node:child_process';

const failing = ['high', 'critical'];

const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  encoding: 'utf8',
  maxBuffer: 100_000_000,
  shell: process.platform === 'win32',
});
if (error) throw error;

/** @type {{ auditReportVersion?: number, message?: string, vulnerabilities?: Record<string, { severity: string, range: string }> }} */
const report = JSON.parse(stdout || '{}');
if (report.auditReportVersion === undefined) {
  process.stdout.write(`not audited: ${report.message ?? 'npm gave no report'}\n`);
  process.exit(0);
}
const found = Object.entries(report.vulnerabilities ?? {});
for (const [name, { severity, range }] of found) process.stdout.write(`${severity}: ${name} ${range}\n`);
process.stdout.write(`${found.length} packages with known vulnerabilities\n`);
process.exit(found.some(([, { severity }]) => failing.includes(severity)) ? 1 : 0);
