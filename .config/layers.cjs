// Imports point one way: gateway -> actors -> storage -> runtime -> protocol. A layer may skip downward, never upward.
const above = {
  protocol: 'runtime|storage|actors|gateway',
  runtime: 'storage|actors|gateway',
  storage: 'actors|gateway',
  actors: 'gateway',
};

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(above).map(([layer, upper]) => ({
      name: `${layer}-imports-nothing-above-it`,
      severity: 'error',
      from: { path: `^${layer}/` },
      to: { path: `^(${upper}|test|bench)/` },
    })),
    {
      name: 'gateway-imports-no-tests',
      severity: 'error',
      from: { path: '^gateway/' },
      to: { path: '^(test|bench)/' },
    },
    {
      // They are what a customer writes: they know the server by its public API alone.
      name: 'examples-import-packages-only',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: '^(protocol|runtime|storage|actors|gateway|test|bench)/' },
    },
    {
      // What speaks to the server through its public contract, and nothing else. Its types are written by its generator.
      name: 'clients-import-no-server',
      severity: 'error',
      from: { path: '^clients/', pathNot: '^clients/(sdk|cli)/generate\\.ts$' },
      to: { path: '^(protocol|runtime|storage|actors|gateway|test|bench|examples)/' },
    },
    {
      name: 'the-generator-reads-the-contract-only',
      severity: 'error',
      from: { path: '^clients/(sdk|cli)/generate\\.ts$' },
      to: { path: '^(runtime|storage|actors|gateway|test|bench|examples)/' },
    },
    {
      name: 'no-server-imports-clients',
      severity: 'error',
      from: { path: '^(protocol|runtime|storage|actors|gateway|bench)/', pathNot: '^bench/demo/' },
      to: { path: '^clients/' },
    },
    {
      // They do what a customer's program does.
      name: 'demonstrations-use-the-sdk-only',
      severity: 'error',
      from: { path: '^bench/demo/' },
      to: { path: '^clients/(?!sdk/index\\.ts$)' },
    },
    {
      name: 'the-sdk-imports-no-other-client',
      severity: 'error',
      from: { path: '^clients/sdk/' },
      to: { path: '^clients/(?!sdk/)' },
    },
    {
      name: 'the-apps-share-the-kit',
      severity: 'error',
      from: { path: '^clients/kit/' },
      to: { path: '^clients/(console|studio|cli)/' },
    },
    {
      name: 'no-client-imports-another',
      severity: 'error',
      from: { path: '^clients/(console|studio|cli)/' },
      to: { path: '^clients/(?!$1/|sdk/|kit/|node_modules/)' },
    },
    {
      // Its types would be those of one version of the compiler, and its bytes the user's.
      name: 'the-sdk-imports-no-package',
      severity: 'error',
      from: { path: '^clients/sdk/', pathNot: '^clients/sdk/(generate|build|compare)\\.ts$' },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'core'] },
    },
    {
      name: 'nothing-imports-examples',
      severity: 'error',
      from: { pathNot: '^examples/' },
      to: { path: '^examples/' },
    },
    {
      // A module is a folder of the second level. Its index.ts is its public interface. Generated code has none. Worker entries may
      // import narrowly, since a worker thread loads all that it imports.
      name: 'modules-are-imported-by-their-index',
      severity: 'error',
      from: {
        path: '^(protocol|runtime|storage|actors|gateway)/([^/]+)',
        pathNot: '\\.worker\\.ts$|^protocol/gen/',
      },
      to: {
        path: '^(protocol/(openapi|operations|resources)|(runtime|storage|actors|gateway)/[^/]+)/',
        pathNot: ['^$1/$2/', '^[^/]+/[^/]+/index\\.ts$', '^actors/run/[^/]+/index\\.ts$'],
      },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'uws-only-in-gateway-http',
      severity: 'error',
      from: { pathNot: '^(gateway/http|bench)/' },
      to: { path: 'uWebSockets\\.js|uws-pack' },
    },
    {
      name: 'orm-only-in-storage',
      severity: 'error',
      from: { path: '^(protocol|runtime|actors|gateway)/' },
      to: { path: '^(node_modules/)?(@mikro-orm|pg|kysely)(/|$)' },
    },
    {
      name: 'nats-only-behind-its-port',
      severity: 'error',
      from: {
        pathNot: '^(runtime/(transport|cluster)/nats[^/]*\\.ts$|runtime/nats/|test/|bench/|node_modules/)',
      },
      to: { path: '^(node_modules/)?nats(/|$)' },
    },
    {
      // A node that traces nothing loads none of it.
      name: 'opentelemetry-only-in-gateway-tracing',
      severity: 'error',
      from: { pathNot: '^gateway/tracing/|node_modules/' },
      to: { path: '^(node_modules/)?@opentelemetry/' },
    },
    {
      name: 'no-orphan-modules',
      severity: 'error',
      from: { orphan: true, pathNot: '\\.(test|d)\\.ts$|^bench/|\\.worker\\.ts$|\\.browser\\.js$' },
      to: {},
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^node:' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^clients/dist' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
