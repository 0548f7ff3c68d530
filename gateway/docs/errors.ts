/** The pages of errors, to which every `docsUrl` leads: one for all, and one for each area. */
import { errors, grpcStatus, type ErrorCode } from '../../protocol/errors.ts';
import { advice } from './advice.ts';
import { html, prose, type Html } from './html.ts';

const codes = Object.keys(errors) as ErrorCode[];

/** `auth` of `svc/auth/expired_token`. */
const areaOf = (code: ErrorCode): string => code.split('/')[1] ?? '';

export const areas: readonly string[] = [...new Set(codes.map(areaOf))];

/** The name of a code's section on its pages: `expired_token`, and with its area where all areas are together. */
export function anchorOf(code: ErrorCode): string {
  return code.replaceAll('/', '-');
}

function section(code: ErrorCode): Html {
  const { http, grpc, message } = errors[code];
  return html`<section id="${anchorOf(code)}">
    <h2>
      <a href="#${anchorOf(code)}"><code>${code}</code></a>
    </h2>
    <p>${message}</p>
    <dl class="facts">
      <dt>HTTP</dt>
      <dd>
        ${http}${code === 'svc/validation/invalid_request' && ', also 400 and 413'}${
          code === 'svc/runtime/invalid_request' && ', also 405 and 426'
        }
      </dd>
      <dt>gRPC</dt>
      <dd>${grpc} (${grpcStatus[grpc]})</dd>
      <dt>What to do</dt>
      <dd>${prose(advice[code])}</dd>
    </dl>
  </section>`;
}

export function errorsPage(): Html {
  return html`<h1>Errors</h1>
    ${prose(
      'Every error is a JSON object: `error` is one of the codes below, and stable; `message` is for people; `requestId` names the request, also in the header X-Request-Id; `details` says what to mend, where there is something.',
    )}
    <p>By area: ${areas.map(area => html`<a href="/docs/errors/${area}">${area}</a> `)}</p>
    ${codes.map(section)}`;
}

export function areaPage(area: string): Html {
  return html`<h1>Errors: ${area}</h1>
    <p><a href="/docs/errors">All errors</a></p>
    ${codes.filter(code => areaOf(code) === area).map(section)}`;
}
