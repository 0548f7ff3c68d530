// @ts-check
/**
 * Asks the registry for known vulnerabilities of the packages that the product runs with.
 *
 *     npm run audit
 *
 * Exit codes:
 *
 *     0   no high or critical vulnerability is known
 *     1   there is one
 *     2   not audited: the registry cannot be reached, or has no audits (a mirror). A release fails on this; a change may land.
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
  process.exit(2);
}
const found = Object.entries(report.vulnerabilities ?? {});
for (const [name, { severity, range }] of found) process.stdout.write(`${severity}: ${name} ${range}\n`);
process.stdout.write(`${found.length} packages with known vulnerabilities\n`);
process.exit(found.some(([, { severity }]) => failing.includes(severity)) ? 1 : 0);
