/** Environment variables: what they default to, what they take, and what is said of the rest. */
import t from 'tap';
import { defaultModelUrls } from '../../../actors/run/models/urls.ts';
import { ConfigError, helpText, readConfig } from '../../../gateway/config/config.ts';
import { type Variable, variables } from '../../../gateway/config/variables.ts';
import { defaultRates } from '../../../gateway/quota/rates.ts';
import { defaultLimits } from '../../../storage/writes/limits.ts';

const ring = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const token = 'a-token-of-thirty-two-characters';
const reached = {
  BASE_URL: 'https://skein.example.com',
  SMTP_URL: 'smtps://mail.example.com',
  GRPC_PORT: 'off',
};
const rows = Object.entries<Variable<unknown>>(variables);

function findProblems(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

t.test('by default one node runs with its own database, on its own machine only', t => {
  const config = readConfig({ PATH: '/bin', BASE_URL: '' });
  t.match(config, {
    embedded: true,
    host: '127.0.0.1',
    port: 8080,
    grpcPort: undefined,
    grpcTls: undefined,
    serviceTokens: [],
    baseUrl: undefined,
    dataDir: './.skein',
    signup: 'open',
    emailDomains: [],
    instanceAdmins: [],
    trustedProxies: 0,
    nameServers: [],
    modelUrls: defaultModelUrls,
    limits: defaultLimits,
    rateLimits: defaultRates,
    logLevel: 'info',
  });
  t.equal(readConfig({ SERVICE_TOKENS: `ops:${'s'.repeat(32)}` }).grpcPort, 9090);
  t.end();
});

t.test('with DATABASE_URL the node listens on the network, and calls no private address', t => {
  const url = 'postgresql://skein@db:5432/skein';
  const config = readConfig({ DATABASE_URL: url, INSECURE: 'true' });
  t.match(config, { embedded: false, host: '0.0.0.0', databaseUrl: url });
  t.end();
});

t.test('where webhooks may go follows from the database, unless it is said', t => {
  const shared = { DATABASE_URL: 'postgres://db/skein', HOST: '127.0.0.1' };
  t.equal(readConfig({}).outboundReach, 'loopback');
  t.equal(readConfig(shared).outboundReach, 'public');
  t.equal(readConfig({ ...shared, ALLOW_PRIVATE_ADDRESSES: 'true' }).outboundReach, 'any');
  t.equal(readConfig({ ALLOW_PRIVATE_ADDRESSES: 'false' }).outboundReach, 'public');
  t.end();
});

t.test('a cluster needs the variables that its nodes share', t => {
  const cluster = { NATS_URL: 'nats://a:4222,tls://user:secret@b', CLUSTER: 'main_1', NODE_ID: 'node-a' };
  const shared = {
    DATABASE_URL: 'postgres://db/skein',
    SECRET_KEYS: ring,
    TOKEN_KEYS: ring,
    HOST: '127.0.0.1',
  };
  t.match(readConfig({ ...cluster, ...shared }), {
    natsUrls: ['nats://a:4222', 'tls://user:secret@b'],
    cluster: 'main_1',
    nodeId: 'node-a',
  });
  t.equal(readConfig({ NATS_URL: 'nats://a', ...shared }).cluster, 'skein');
  t.same(
    findProblems({ ...cluster, DATABASE_URL: '' }).map(problem => problem.split(':')[0]),
    ['DATABASE_URL', 'SECRET_KEYS', 'TOKEN_KEYS'].map(name => `${name} is required with NATS_URL`),
  );
  // One problem is said once.
  t.match(findProblems({ ...cluster, ...shared, TOKEN_KEYS: 'none' }), [/^TOKEN_KEYS wants /]);
  t.equal(findProblems({ ...cluster, ...shared, TOKEN_KEYS: 'none' }).length, 1);
  t.end();
});

t.test('a node that other machines reach starts only with what protects them, or INSECURE', t => {
  const cluster = { DATABASE_URL: 'postgres://skein@localhost/skein', SECRET_KEYS: ring, TOKEN_KEYS: ring };
  const grpc = { GRPC_PORT: '0', SERVICE_TOKENS: `billing:${token}` };
  const faults: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{ BASE_URL: 'http://skein.example.com' }, 'BASE_URL'],
    [{ SMTP_URL: '' }, 'SMTP_URL'],
    [grpc, 'GRPC_TLS_CERT'],
    ...['nats://10.0.0.1', 'nats://user:word@10.0.0.1', 'tls://10.0.0.1'].map(
      url => [{ ...cluster, NATS_URL: url }, 'NATS_URL'] as const,
    ),
    ...['', '?sslmode=disable', '?sslmode=no-verify', '?sslmode=require&uselibpqcompat=true'].map(
      query => [{ DATABASE_URL: `postgres://u:p@db/skein${query}` }, 'DATABASE_URL'] as const,
    ),
    [{ DATABASE_URL: 'postgres://u:p@localhost/skein?host=db' }, 'DATABASE_URL'],
  ];
  // A public address counts like HOST: a proxy on the machine connects to loopback, too.
  for (const HOST of ['0.0.0.0', '127.0.0.1', 'localhost']) {
    const guarded = { ...reached, HOST };
    t.match(readConfig(guarded), { exposures: [], outboundReach: 'public', isLocalOnly: false });
    for (const [change, name] of faults) {
      const problems = findProblems({ ...guarded, ...change });
      t.match(problems, [new RegExp(`^${name} `), `Set INSECURE=${name} to`], JSON.stringify(change));
      for (const INSECURE of ['true', `PORT,${name}`]) {
        t.match(readConfig({ ...guarded, ...change, INSECURE }).exposures, [new RegExp(`^${name} `)]);
      }
      t.same(findProblems({ ...guarded, ...change, INSECURE: 'PORT' }), problems);
      const BASE_URL = 'http://localhost:8080';
      t.same(readConfig({ ...guarded, ...change, HOST: '::1', BASE_URL }).exposures, []);
    }
  }
  for (const change of [{ HOST: '0.0.0.0' }, { TRUSTED_PROXIES: '1' }, { TRUSTED_PROXIES: '10.0.0.1' }]) {
    t.match(findProblems({ ...change, GRPC_PORT: 'off' }), [/^BASE_URL is required/, /^SMTP_URL/, /^Set/]);
    t.equal(readConfig({ ...change, INSECURE: 'true' }).outboundReach, 'public');
  }
  for (const change of [
    { ...grpc, GRPC_TLS_CERT: 'a.pem', GRPC_TLS_KEY: 'b.pem' },
    { ...cluster, NATS_URL: 'tls://user:word@10.0.0.1,nats://10.0.0.2' },
    { ...cluster, NATS_URL: 'nats://127.0.0.1:4222' },
    ...[
      'db/skein?sslmode=require',
      'db/skein?ssl=true',
      '127.0.0.1/skein',
      'x/skein?host=/run/postgresql',
    ].map(address => ({ DATABASE_URL: `postgres://u:p@${address}` })),
  ]) {
    t.same(findProblems({ ...reached, ...change }), [], JSON.stringify(change));
  }
  t.end();
});

t.test('gRPC can be switched off, and TLS wants both halves of its certificate', t => {
  t.equal(readConfig({ GRPC_PORT: 'off' }).grpcPort, undefined);
  const names = (env: Record<string, string>) => findProblems(env).map(problem => problem.split(':')[0]);
  t.same(names({ GRPC_TLS_CERT: 'a.pem' }), ['GRPC_TLS_KEY is required with GRPC_TLS_CERT']);
  t.same(names({ GRPC_TLS_KEY: 'a.pem' }), ['GRPC_TLS_CERT is required with GRPC_TLS_KEY']);
  t.equal(names({ GRPC_TLS_CA: 'a.pem' }).length, 2);
  t.end();
});

t.test('LIMITS changes the limits that it names', t => {
  t.same(readConfig({ LIMITS: '{}' }).limits, defaultLimits);
  t.same(readConfig({ LIMITS: '{"stitches":0,"workspaceBytes":1}' }).limits, {
    ...defaultLimits,
    stitches: 0,
    workspaceBytes: 1,
  });
  for (const text of ['on', '[]', 'null', '{"keys":1}', '{"tools":-1}', '{"tools":1.5}', '{"tools":"1"}']) {
    t.match(findProblems({ LIMITS: text })[0], /^LIMITS wants JSON like /, text);
  }
  t.match(findProblems({ LIMITS: '{"keys":1}' })[0], /there is no "keys", only apiKeys, stitches/);
  t.end();
});

t.test('a service token has a name, a length, and one owner', t => {
  for (const text of ['short:token', token, `a b:${token}`, `a:${token},b:${token}`, `a:${token},`]) {
    t.match(findProblems({ SERVICE_TOKENS: text }), [/^SERVICE_TOKENS wants /], text);
  }
  t.end();
});

t.test('rate limits: on, off, or some of them in JSON; what is wrong with the JSON is said', t => {
  t.same(readConfig({ RATE_LIMITS: 'on' }).rateLimits, defaultRates);
  t.equal(readConfig({ RATE_LIMITS: 'off' }).rateLimits, undefined);
  t.same(readConfig({ RATE_LIMITS: '{}' }).rateLimits, defaultRates);
  t.same(readConfig({ RATE_LIMITS: '{"read":{"windowSeconds":3600,"limit":1}}' }).rateLimits, {
    ...defaultRates,
    read: { limit: 1, windowMs: 3_600_000 },
  });
  const faults: Readonly<Record<string, RegExp>> = {
    On: /: that is neither on, nor off, nor a JSON object$/,
    '[]': /: that is neither/,
    null: /: that is neither/,
    '{"reads":{"limit":1,"windowSeconds":1}}':
      /: there is no "reads", only refused, authAddress, authAddressEmail, authEmail, signUpAddress, /,
    '{"__proto__":{"limit":1,"windowSeconds":1}}': /: there is no "__proto__", only/,
    '{"read":{"limit":1}}': /: read wants \{"limit": ..., "windowSeconds": ...\}$/,
    '{"read":{"limit":1,"windowSeconds":1,"burst":2}}': /: read wants \{/,
    '{"read":7}': /: read wants \{/,
    '{"read":{"limit":0,"windowSeconds":1}}': /: read.limit wants 1 to 1000000$/,
    '{"read":{"limit":1.5,"windowSeconds":1}}': /: read.limit wants/,
    '{"read":{"limit":"1","windowSeconds":1}}': /: read.limit wants/,
    '{"read":{"limit":1000001,"windowSeconds":1}}': /: read.limit wants/,
    '{"test":{"limit":1,"windowSeconds":86401}}': /: test.windowSeconds wants 1 to 86400$/,
  };
  for (const [text, fault] of Object.entries(faults)) {
    const [problem, ...others] = findProblems({ RATE_LIMITS: text });
    t.match(problem, /^RATE_LIMITS wants on, off, or JSON like /, text);
    t.match(problem, fault, text);
    t.same(others, []);
  }
  t.end();
});

t.test('every variable arrives', t => {
  const config = readConfig({
    GRPC_PORT: '0',
    SERVICE_TOKENS: `billing:${token},crm:${token}2`,
    GRPC_TLS_CERT: '/tls/cert.pem',
    GRPC_TLS_KEY: '/tls/key.pem',
    GRPC_TLS_CA: '/tls/ca.pem',
    HOST: '::1',
    PORT: '0',
    BASE_URL: 'https://api.example.com/',
    TRUSTED_PROXIES: '2',
    CORS_ORIGINS: 'https://app.example.com, http://localhost:5173',
    NAME_SERVERS: '192.0.2.53:53,[2001:db8::53]:5353',
    DOCS_URL: 'https://docs.example.com/skein/',
    DATA_DIR: '/data',
    MEDIA_URL: 's3://bucket/a/b',
    DATABASE_URL: 'postgres://db/skein?sslmode=verify-full',
    SECRET_KEYS: ring,
    TOKEN_KEYS: ring,
    SMTP_URL: 'smtps://u:p@mail',
    MAIL_FROM: 'Us <us@example.com>',
    NATS_URL: 'tls://token@nats:4222',
    CLUSTER: 'main',
    NODE_ID: 'one',
    SHARDS: '64',
    SIGNUP: 'disabled',
    EMAIL_DOMAINS: 'Example.com,b.org',
    INSTANCE_ADMINS: 'Ops@example.com, second@example.com',
    ALLOW_PRIVATE_ADDRESSES: 'true',
    LLM_PROVIDER_1_URL: 'http://one/v1',
    LLM_PROVIDER_2_URL: 'http://two/',
    LLM_PROVIDER_3_URL: 'http://three',
    CHATAPP_GRAPH_URL: 'http://provider/',
    CHATAPP_GRAPH_VERSION: 'v26.0',
    CHATAPP_SIGNUP_URL: 'http://provider/sign-up',
    CHATAPP_SIGNUP_CONFIG_ID: '2002',
    CHATAPP_APP_ID: '1001',
    CHATAPP_APP_SECRET: 'secret-of-the-app',
    RATE_LIMITS: 'off',
    LIMITS: '{"apiKeys":7}',
    LOG_FORMAT: 'pretty',
    LOG_LEVEL: 'debug',
  });
  t.same(config, {
    grpcPort: 0,
    grpcTls: { cert: '/tls/cert.pem', key: '/tls/key.pem', ca: '/tls/ca.pem' },
    serviceTokens: [
      { name: 'billing', token },
      { name: 'crm', token: `${token}2` },
    ],
    embedded: false,
    host: '::1',
    port: 0,
    baseUrl: 'https://api.example.com',
    trustedProxies: 2,
    isLocalOnly: false,
    corsOrigins: ['https://app.example.com', 'http://localhost:5173'],
    docsUrl: 'https://docs.example.com/skein',
    dataDir: '/data',
    databaseUrl: 'postgres://db/skein?sslmode=verify-full',
    media: { kind: 's3', bucket: 'bucket', prefix: 'a/b/', pathStyle: false },
    natsUrls: ['tls://token@nats:4222'],
    cluster: 'main',
    nodeId: 'one',
    shards: 64,
    secretKeys: ring,
    tokenKeys: ring,
    smtpUrl: 'smtps://u:p@mail',
    mailFrom: 'Us <us@example.com>',
    signup: 'disabled',
    emailDomains: ['example.com', 'b.org'],
    instanceAdmins: ['Ops@example.com', 'second@example.com'],
    outboundReach: 'any',
    nameServers: ['192.0.2.53:53', '[2001:db8::53]:5353'],
    modelUrls: {
      llm_provider_1: 'http://one/v1',
      llm_provider_2: 'http://two',
      llm_provider_3: 'http://three',
    },
    chatapp: {
      graph: { url: 'http://provider', version: 'v26.0' },
      app: { appId: '1001', appSecret: 'secret-of-the-app' },
      signup: { url: 'http://provider/sign-up', configId: '2002' },
    },
    limits: { ...defaultLimits, apiKeys: 7 },
    rateLimits: undefined,
    exposures: [],
    logFormat: 'pretty',
    logLevel: 'debug',
  });
  t.end();
});

t.test('a bad value names its variable and what it wants', t => {
  const bad: Record<string, readonly string[]> = {
    HOST: ['-', 'a b', 'http://a'],
    PORT: ['65536', '-1', '80a', '1e3', ' 80'],
    GRPC_PORT: ['65536', 'OFF', 'none'],
    CHATAPP_GRAPH_URL: ['graph', 'ftp://graph'],
    CHATAPP_GRAPH_VERSION: ['25', 'v25', 'v25.0/x', 'latest'],
    CHATAPP_SIGNUP_URL: ['sign-up', 'ftp://graph'],
    CHATAPP_SIGNUP_CONFIG_ID: ['a', '1 2'],
    CHATAPP_APP_ID: ['app', '12 34'],
    BASE_URL: ['api.example.com', 'ftp://a', 'https://a/path', 'https://a?x=1', 'https://u:p@a'],
    MEDIA_URL: [
      '/data',
      's3://B/x',
      's3://bucket/a b',
      's3://bucket/.a',
      's3://bucket?pathStyle=1',
      'file:///',
      'file://host/a',
    ],
    DOCS_URL: ['/docs', 'javascript:alert(1)'],
    CORS_ORIGINS: ['*', 'null', 'app.example.com', 'https://app.example.com/page', 'https://a.test,'],
    NAME_SERVERS: ['dns.example.com:53', '192.0.2.53', '192.0.2.53:0', '192.0.2.53:53,'],
    TRUSTED_PROXIES: ['17', '-1', 'yes', '10.0.0.0/33', '10.0.0.1/', '::1/64/1', '10.0.0.1,'],
    INSECURE: ['yes', 'BASE_URL,', 'base_url'],
    MAIL_FROM: ['nobody', 'a@b\r\nBcc: c@d'],
    CLUSTER: ['a.b', 'a b', 'x'.repeat(65)],
    SHARDS: ['0', '4097', 'many'],
    NODE_ID: ['a.b', '*', '>'],
    SIGNUP: ['yes', 'OPEN'],
    EMAIL_DOMAINS: ['a@b.c', 'localhost', 'a.com,,b.com'],
    INSTANCE_ADMINS: ['ops', 'a@b.c,,d@e.f', 'ops@example.com;two@example.com'],
    ALLOW_PRIVATE_ADDRESSES: ['1', 'yes'],
    LLM_PROVIDER_1_URL: ['api.openai.com', 'ftp://a'],
    LOG_LEVEL: ['verbose'],
    OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4317', 'grpc://collector'],
    OTEL_EXPORTER_OTLP_PROTOCOL: ['grpc', 'http/json'],
    OTEL_TRACES_SAMPLER: ['jaeger_remote', 'ALWAYS_ON'],
    OTEL_TRACES_SAMPLER_ARG: ['1.5', '-0.1', '1e-3', 'half', '.'],
    OTEL_RESOURCE_ATTRIBUTES: ['name', '=value', 'a b=c', 'a=%zz'],
    OTEL_SDK_DISABLED: ['1'],
  };
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) {
      const [problem, ...others] = findProblems({ [name]: value });
      t.equal(
        problem,
        `${name} wants ${variables[name as keyof typeof variables].wants}, not ${JSON.stringify(value)}`,
      );
      t.same(others, []);
    }
  }
  t.end();
});

t.test('traces are configured as OpenTelemetry says', t => {
  const read = (env: Record<string, string>) => readConfig(env).tracing;
  t.equal(read({}), undefined);
  t.equal(
    read({ OTEL_SERVICE_NAME: 'desk', OTEL_TRACES_SAMPLER: 'always_on' }),
    undefined,
    'without a place',
  );
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318/';
  t.equal(read({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' }), undefined);
  t.same(read({ OTEL_EXPORTER_OTLP_ENDPOINT }), {
    url: 'http://collector:4318/v1/traces',
    headers: {},
    sampling: { followsCaller: true, ratio: 1 },
    resource: { 'service.name': 'skein' },
  });
  t.same(
    read({
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/otlp',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hush, x-tenant = one',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=desk,deployment.environment.name=test',
      NODE_ID: 'a',
    }),
    {
      url: 'https://traces.example.com/otlp',
      headers: { authorization: 'Bearer hush', 'x-tenant': 'one' },
      sampling: { followsCaller: false, ratio: 0.01 },
      resource: {
        'service.instance.id': 'a',
        'service.name': 'desk',
        'deployment.environment.name': 'test',
      },
    },
  );
  t.end();
});

t.test('a bad secret is not repeated', t => {
  const secrets = {
    DATABASE_URL: 'mysql://root:hunter2@db/x',
    SECRET_KEYS: 'k1:hunter2',
    TOKEN_KEYS: 'hunter2',
    NATS_URL: 'nats://a,http://user:hunter2@b',
    SMTP_URL: 'hunter2',
    SERVICE_TOKENS: 'billing:hunter2',
    CHATAPP_APP_SECRET: 'hunter2',
    OTEL_EXPORTER_OTLP_HEADERS: 'hunter2',
  };
  for (const [name, value] of Object.entries(secrets)) {
    const text = findProblems({ [name]: value }).join('\n');
    t.match(text, `${name} wants `);
    t.notMatch(text, /hunter2/);
  }
  t.end();
});

t.test('everything that is wrong is said at once', t => {
  const problems = findProblems({ PORT: 'x', LOG_LEVEL: 'y', SIGNUP: 'z' });
  t.equal(problems.length, 3);
  t.throws(() => readConfig({ PORT: 'x', LOG_LEVEL: 'y' }), /PORT wants[^]*LOG_LEVEL wants/);
  t.end();
});

t.test('the help names every variable, its default and what it wants', t => {
  const help = helpText();
  for (const [name, { meaning, condition, wants, fallback }] of rows) {
    for (const part of [name, meaning, condition, wants, fallback]) {
      if (part !== undefined) t.ok(help.includes(part), `${name}: ${part}`);
    }
  }
  t.ok(
    help.split('\n').every(line => line.length <= 120),
    'within the width of a terminal',
  );
  t.end();
});
