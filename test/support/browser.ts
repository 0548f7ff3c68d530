/**
 * A real browser without a window, driven by the DevTools protocol (https://chromedevtools.github.io/devtools-protocol/). It comes from
 * CHROMIUM or the PATH.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import WebSocket from 'ws';
import { eventually } from './eventually.ts';
import { processGuard } from './process-guard.ts';
import { withTimeLimit } from './time-limit.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export const browserAdvice =
  'no browser was found: set CHROMIUM to the path of Chromium or Chrome, or install it (Debian: apt-get install chromium)';

/** The path of Chromium or Chrome; undefined where there is none. */
export function findBrowser(): string | undefined {
  const named = process.env['CHROMIUM'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = [
    ...(named === undefined ? [] : [named]),
    ...names.flatMap(name => folders.map(at => join(at, name))),
  ];
  return paths.find(path => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** What ends with a test. */
interface Ending {
  teardown(handler: () => Promise<void>): unknown;
}

interface Answer {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export class Browser {
  readonly #socket: WebSocket;
  readonly #pages = new Map<string, BrowserPage>();
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      const answer = JSON.parse(data.toString()) as Answer;
      if (answer.id === undefined)
        this.#pages.get(answer.sessionId ?? '')?.take(answer.method ?? '', answer.params ?? {});
      else this.#waiting.get(answer.id)?.(answer);
    });
  }

  /** Ends with the test. */
  static async start(t: Ending, program: string): Promise<Browser> {
    const folder = await mkdtemp(join(tmpdir(), `skein-browser-${process.pid}-`));
    const child = spawn(
      program,
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--no-first-run',
        '--remote-debugging-port=0',
        `--user-data-dir=${folder}`,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    child.once('exit', processGuard(child.pid ?? 0, 'KILL'));
    const { promise: found, resolve } = Promise.withResolvers<string>();
    createInterface({ input: child.stderr }).on('line', line => {
      const address = /^DevTools listening on (\S+)/.exec(line)?.[1];
      if (address !== undefined) resolve(address);
    });
    const socket = new WebSocket(await withTimeLimit(found, 'address of the browser'));
    t.teardown(async () => {
      socket.close();
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    });
    await once(socket, 'open');
    return new Browser(socket);
  }

  /** A new page without anything of the others: no cookies, no storage. */
  async open(): Promise<BrowserPage> {
    const { browserContextId } = await this.ask<{ browserContextId: string }>('Target.createBrowserContext');
    const target = { url: 'about:blank', browserContextId };
    const { targetId } = await this.ask<{ targetId: string }>('Target.createTarget', target);
    const attach = { targetId, flatten: true };
    const { sessionId } = await this.ask<{ sessionId: string }>('Target.attachToTarget', attach);
    const page = new BrowserPage((method, params) => this.ask(method, params, sessionId));
    this.#pages.set(sessionId, page);
    // As if its window were in front.
    await page.ask('Emulation.setFocusEmulationEnabled', { enabled: true });
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await page.ask(`${domain}.enable`);
    return page;
  }

  /** A command of the protocol. */
  ask<T>(method: string, params: object = {}, sessionId?: string): Promise<T> {
    const id = ++this.#lastId;
    const answered = new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        this.#waiting.delete(id);
        if (error === undefined) resolve(result as T);
        else reject(new Error(`${method}: ${error.message}`));
      });
    });
    this.#socket.send(
      JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }),
    );
    return withTimeLimit(answered, `answer of the browser to ${method}`);
  }
}

/** A request that the page has sent. */
export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

export class BrowserPage {
  readonly ask: <T>(method: string, params?: object) => Promise<T>;
  readonly requests: SentRequest[] = [];
  /** What the browser complains of: broken policies, scripts that throw. */
  readonly complaints: string[] = [];
  #loads = 0;

  constructor(ask: <T>(method: string, params?: object) => Promise<T>) {
    this.ask = ask;
  }

  take(method: string, params: Readonly<Record<string, unknown>>): void {
    if (method === 'Page.loadEventFired') this.#loads++;
    if (method === 'Network.requestWillBeSent') this.requests.push(params['request'] as SentRequest);
    if (method === 'Runtime.exceptionThrown') this.complaints.push(JSON.stringify(params));
    if (method === 'Log.entryAdded') {
      const { source, level, text } = params['entry'] as { source: string; level: string; text: string };
      if (source !== 'network' && level !== 'verbose') this.complaints.push(text);
    }
  }

  /** Resolves when the page and its script have been loaded. */
  async go(url: string): Promise<void> {
    // An address that differs in its fragment alone would not be loaded.
    await this.ask('Page.navigate', { url: 'about:blank' });
    const before = this.#loads;
    await this.ask('Page.navigate', { url });
    await eventually(`page ${url}`, async () => this.#loads > before);
    await eventually(`address ${url}`, async () => (await this.evaluate<string>('location.href')) === url);
  }

  /** The value of an expression in the page. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result } = await this.ask<{ result: { value: T } }>('Runtime.evaluate', {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    return result.value;
  }

  /** Resolves when the visible text of the page has it. */
  async shows(text: string): Promise<void> {
    await eventually(`text "${text}" on the page`, async () =>
      (await this.evaluate<string>('document.body.innerText')).includes(text),
    );
  }

  /** Types into what has the focus. */
  async type(text: string): Promise<void> {
    await this.ask('Input.insertText', { text });
  }

  async press(key: 'Tab' | 'Enter'): Promise<void> {
    const code = { Tab: 9, Enter: 13 }[key];
    const event = { key, code: key, windowsVirtualKeyCode: code, ...(key === 'Enter' ? { text: '\r' } : {}) };
    await this.ask('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
    await this.ask('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }
}
