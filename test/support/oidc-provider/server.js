/**
 * A real identity provider (oidc-provider), as a process of its own: asks its user for an e-mail address, and vouches for whatever it is told.
 * Of an address that begins with `unverified-` it says that nobody has verified it. Started by index.ts.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import Provider from 'oidc-provider';

const { CLIENT_ID, CLIENT_SECRET, REDIRECT_URI } = process.env;

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [REDIRECT_URI],
      grant_types: ['authorization_code'],
    },
  ],
  cookies: { keys: ['of a test'] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  features: { devInteractions: { enabled: false } },
  pkce: { required: () => true },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: id, email_verified: !id.startsWith('unverified-') }),
  }),
  // Everybody agrees to what the client asks for.
  async loadExistingGrant({ oidc }) {
    const grant = new oidc.provider.Grant({
      clientId: oidc.client.clientId,
      accountId: oidc.session.accountId,
    });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
});

provider.use(async (ctx, next) => {
  if (!ctx.path.startsWith('/interaction/')) return next();
  const { params } = await provider.interactionDetails(ctx.req, ctx.res);
  if (ctx.method === 'GET') {
    ctx.type = 'html';
    const hint = String(params.login_hint ?? '').replace(/[<>"&]/g, '');
    ctx.body = `<!doctype html><title>Provider</title><h1>Sign in at the provider</h1><form method="post">
      <label>Address <input name="email" value="${hint}"></label><button>Sign me in</button><button name="refuse">Refuse</button></form>`;
    return;
  }
  let text = '';
  for await (const chunk of ctx.req) text += chunk;
  const sent = new URLSearchParams(text);
  const result = sent.has('refuse')
    ? { error: 'access_denied', error_description: 'refused' }
    : { login: { accountId: sent.get('email') } };
  ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, result));
  ctx.status = 303;
});

server.on('request', provider.callback());
process.on('disconnect', () => process.exit(0));
process.send({ issuer });
