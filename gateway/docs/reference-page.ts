/** The page of the API reference: Redoc, which draws the OpenAPI document in the browser. */
import { html } from './html.ts';

/** @param scriptPath where the node serves Redoc's script */
export function referencePage(scriptPath: string): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Skein API reference</title>
        <style>
          body {
            margin: 0;
          }
        </style>
      </head>
      <body>
        <noscript>
          The reference needs JavaScript. The contract is at <a href="/v1/openapi.json">openapi.json</a>; the
          <a href="/docs/errors">errors</a> are readable without.
        </noscript>
        <redoc spec-url="/v1/openapi.json"></redoc>
        <script src="${scriptPath}"></script>
      </body>
    </html>`.text;
}
