/** A node that maintains the database every second, where it is the one that does: `npm start` without what a terminal and signals need. */
import pino from 'pino';
import { startSkein } from '../../../gateway/composition/start.ts';
import { readConfig } from '../../../gateway/config/config.ts';

const config = readConfig(process.env);
const log = pino({ level: config.logLevel, formatters: { level: label => ({ level: label }) } });
const { signal } = new AbortController();
const { url } = await startSkein(config, log, signal, { sweepEveryMs: 1_000 });
log.info({ url }, 'ready');
