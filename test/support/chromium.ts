/**
 * A real browser for tests and for pictures: Chromium without a window, driven by Playwright.
 *
 * On Linux x64 it is that of the npm package, so that everybody tests with the same version and needs to install nothing; with the
 * libraries and fonts that the package has for bare systems. Elsewhere it is one that is installed. `CHROMIUM` names another.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { endAfterLastFile } from './shared-by-files.ts';

const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));

/** For how long a page is waited for, unless a test says otherwise: twice Playwright's default, for a machine that has other things to do. */
const waitMs = 60_000;

/** The folder of the package with the browser. */
function findPackage(): string {
  return join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..');
}

/** Fonts of the package, and those of the system if it has any. The package's own file names folders that are elsewhere. */
function writeFontConfiguration(home: string): string {
  const folders = [join(home, 'fonts'), '/usr/share/fonts'].map(each => `<dir>${each}</dir>`).join('');
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders}<cachedir>${join(home, 'font-cache')}</cachedir></fontconfig>`;
}

/** Unpacks the browser, once for all: 3 seconds, 209 MB. Whoever comes at the same time does so too, and the first one's is taken. */
async function unpack(): Promise<string> {
  const from = findPackage();
  const { version } = JSON.parse(await readFile(join(from, 'package.json'), 'utf8')) as { version: string };
  const home = join(cache, `chromium-${version}`);
  const isUnpacked = (): boolean => existsSync(join(home, 'chromium'));
  if (isUnpacked()) return home;
  const own = `${home}.${process.pid}`;
  await mkdir(own, { recursive: true });
  const before = process.env['TMPDIR'];
  // Where the package unpacks to.
  process.env['TMPDIR'] = own;
  try {
    const { inflate } = await import('@sparticuz/chromium');
    const names = ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'];
    await Promise.all(names.map(name => inflate(join(from, 'bin', name))));
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
  await writeFile(join(own, 'fonts', 'fonts.conf'), writeFontConfiguration(home));
  try {
    // A browser that still ran when the folder was removed may have left its cache there.
    if (!isUnpacked()) await rm(home, { recursive: true, force: true });
    await rename(own, home);
  } catch (error) {
    if (!isUnpacked()) throw error;
    await rm(own, { recursive: true, force: true });
  }
  return home;
}

/** How to start the browser that is used here. */
async function chooseBrowser(): Promise<LaunchOptions> {
  const named = process.env['CHROMIUM'];
  if (named !== undefined) return { executablePath: named };
  if (process.platform === 'linux' && process.arch === 'x64') {
    const home = await unpack();
    const env = {
      ...process.env,
      LD_LIBRARY_PATH: join(home, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(home, 'fonts'),
    } as Record<string, string>;
    return { executablePath: join(home, 'chromium'), env };
  }
  const systems = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const installed = systems.find(path => existsSync(path));
  return installed === undefined ? { channel: 'chrome' } : { executablePath: installed };
}

/** A test, or what else ends what was started. */
export interface Ending {
  teardown(handler: () => Promise<void>): unknown;
  /** A test tells whether nothing has failed so far. */
  passing?(): boolean;
}

/** Of the files that share this process. A browser that has crashed is gone. */
let shared: Browser | undefined;

/**
 * Ends with the test, or, where files share the process, with the last of them; every context that the test has left ends with the test.
 * Each test opens a context of its own, with its own cookies and storage.
 *
 * @throws {Error} there is no browser; the message says how to name one
 */
export async function startChromium(t: Ending): Promise<Browser> {
  const browser = shared?.isConnected() === true ? shared : await launch();
  if (browser !== shared && endAfterLastFile(() => browser.close())) shared = browser;
  const others = browser.contexts();
  t.teardown(async () => {
    if (browser !== shared) return browser.close();
    const own = browser.contexts().filter(context => !others.includes(context));
    await Promise.all(own.map(context => context.close()));
  });
  return browser;
}

async function launch(): Promise<Browser> {
  const options = await chooseBrowser();
  // Root may not have the sandbox.
  const chromiumSandbox = process.getuid?.() !== 0 && process.env['CI'] === undefined;
  try {
    const browser = await chromium.launch({ ...options, chromiumSandbox });
    browser.on('context', context => {
      context.setDefaultTimeout(waitMs);
    });
    return browser;
  } catch (error) {
    throw new Error(
      'no browser starts: install Chromium (Debian: apt-get install chromium; Ubuntu: npx playwright-core install --with-deps chromium; ' +
        'macOS: brew install --cask chromium), or set CHROMIUM to the path of Chromium, Chrome or Edge',
      {
        cause: error,
      },
    );
  }
}
