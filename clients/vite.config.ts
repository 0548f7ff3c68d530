/** The web apps, as build.js builds them one by one. `npm run web` serves them as they are edited. */
import { extname } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const server = process.env['SKEIN_URL'] ?? 'http://127.0.0.1:8080';

/** As the server does: every path of an app that names no file is the app's page. */
const deepLinks: Plugin = {
  name: 'deep-links',
  configureServer({ middlewares }) {
    middlewares.use((request, _response, next) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      const app = /^\/(console|studio)(?:\/|$)/.exec(path)?.[1];
      if (app !== undefined && extname(path) === '') request.url = `/${app}/index.html`;
      next();
    });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  appType: 'mpa',
  plugins: [react(), deepLinks],
  // Packages that lie beside the test runner's React 18 would bring it along.
  resolve: { dedupe: ['react', 'react-dom'] },
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2023',
    // light-dark() stays as it is: where it is lowered, backgrounds vanish, because Mantine sets color-scheme elsewhere.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
  },
  server: { proxy: { '/v1': { target: server, ws: true }, '/media': server, '/docs': server } },
});
