/**
 * The web apps: /console and /studio and everything beneath them are the apps' pages, which read their addresses themselves; /assets/{name} are its files. Open to
 * all: what the pages show they ask the API for.
 */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { acceptsEncoding, type HttpAnswer, type HttpRequest, type HttpServer } from '../http/index.ts';
import { type BuiltFile, readBuiltApps } from './built-files.ts';

const defaultFolder = fileURLToPath(new URL('../../clients/dist', import.meta.url));
const apps = ['console', 'studio'];
/** What vite.config.ts leaves in the pages for the nonce of each answer. */
const noncePlace = '__CSP_NONCE__';
/** Where the pages learn whether strangers may make accounts. */
const signupPlace = '__SIGNUP__';

/** No script and no style but ours and those that carry the nonce; nothing of the page is made from strings of HTML (Trusted Types). */
function writePolicy(nonce: string, publicOrigin: string): string {
  // Addresses of files begin with the public address, whatever address the page was opened by.
  const own = `'self' ${publicOrigin}`;
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src ${own} blob: data:`,
    `media-src ${own} blob:`,
    "font-src 'self'",
    `connect-src ${own}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');
}

const pageHeaders = {
  'Cache-Control': 'no-store',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
};

/** By it the pages know that there is a mailbox (clients/kit/account/mailbox-link.tsx). */
const mailboxHint = '<head><meta name="skein-mailbox" content="/mailbox" />';

/** Read by clients/studio/channels/chatapp/signup.ts. */
function writeChatappHint({ url, appId = '', configId = '' }: ChatappSignup): string {
  const text = `<meta name="skein-chatapp" content="${escapeAttribute(url)}" `;
  return `${text}data-app-id="${appId}" data-config-id="${configId}" />`;
}

const escapeAttribute = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** Answers with a fresh nonce each time. */
function createPageHandler(page: string, publicOrigin: string): () => HttpAnswer {
  const parts = page.split(noncePlace);
  return () => {
    const nonce = randomBytes(16).toString('base64url');
    return {
      status: 200,
      contentType: 'text/html; charset=utf-8',
      body: parts.join(nonce),
      headers: { ...pageHeaders, 'Content-Security-Policy': writePolicy(nonce, publicOrigin) },
    };
  };
}

function answerFile(file: BuiltFile, request: HttpRequest): HttpAnswer {
  const accepted = request.header('accept-encoding');
  const encoding = (['br', 'gzip'] as const).find(
    each => file[each] !== undefined && acceptsEncoding(accepted, each),
  );
  return {
    status: 200,
    contentType: file.contentType,
    body: encoding === undefined ? file.plain : (file[encoding] ?? file.plain),
    headers: {
      // Its name changes with its bytes.
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    },
  };
}

/** The answer of a node whose apps are not built. */
function answerNotBuilt(): HttpAnswer {
  return {
    status: 404,
    contentType: 'text/plain; charset=utf-8',
    body: 'The web apps of this node are not built: run "npm run build", and start it again.\n',
    headers: { 'Cache-Control': 'no-store' },
  };
}

export interface ChatappSignup {
  /** The provider's page. */
  readonly url: string;
  /** The service's own app there, and its configuration of the sign-up; undefined: it has none. Neither is a secret: both are in addresses. */
  readonly appId: string | undefined;
  readonly configId: string | undefined;
}

export interface WebOptions {
  /** The service's public address. */
  readonly baseUrl: string;
  /** Whether strangers may make accounts. */
  readonly signup: 'open' | 'disabled';
  /** Whether the node shows its mails under /mailbox. Default false. */
  readonly hasMailbox?: boolean;
  /** The origin whose pages can use passkeys (storage/accounts/webauthn.ts). */
  readonly passkeyOrigin: string;
  /** What Studio begins an embedded sign-up at the chat provider with. */
  readonly chatapp?: ChatappSignup;
  /** Of the built files. */
  readonly folder?: string;
}

/** With what the page has to know of its node. */
function writePage(
  page: string,
  {
    signup,
    hasMailbox,
    passkeyOrigin,
    chatapp,
  }: Pick<WebOptions, 'signup' | 'hasMailbox' | 'passkeyOrigin' | 'chatapp'>,
): string {
  const told = page
    .replace(signupPlace, signup)
    .replace(
      '<head>',
      () =>
        `<head><meta name="skein-passkeys" content="${passkeyOrigin}" />${chatapp === undefined ? '' : writeChatappHint(chatapp)}`,
    );
  return hasMailbox === true ? told.replace('<head>', mailboxHint) : told;
}

/** Registers the routes of the web apps. */
export function serveWebApps(
  server: Pick<HttpServer, 'route'>,
  { baseUrl, hasMailbox = false, folder = defaultFolder, ...told }: WebOptions,
): void {
  const publicOrigin = new URL(baseUrl).origin;
  const built = readBuiltApps(folder, apps);
  for (const app of apps) {
    const page = built?.pages.get(app);
    const handler =
      page === undefined
        ? answerNotBuilt
        : createPageHandler(writePage(page, { hasMailbox, ...told }), publicOrigin);
    for (const path of [`/${app}`, `/${app}/*`]) server.route('GET', path, handler);
  }
  server.route('GET', '/assets/{name}', request => {
    const file = built?.assets.get(request.params[0] ?? '');
    return file === undefined ? { status: 404 } : answerFile(file, request);
  });
}
