#!/usr/bin/env node
// @ts-check
/** `npx skein` in this repository: the sources, on the project's own Node. The package that is published has a bundle instead. */
import { fileURLToPath } from 'node:url';

process.env['SKEIN_PROGRAM'] = 'npx skein';
process.argv.splice(2, 0, fileURLToPath(new URL('main.ts', import.meta.url)));
await import('../../.config/launch.js');
