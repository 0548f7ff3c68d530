/** Why connecting has failed: the step, what to do about it, and the provider's code. */
import { Alert, Text } from '@mantine/core';
import { PageLink } from '../../../kit/account/account-page.tsx';
import { ApiError, type ChatappStatus } from '../../../sdk/index.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { texts } from '../../texts/chatapp.ts';

type Failure = NonNullable<ChatappStatus['error']>;

/** What to do, by the provider's code where that says more than the step. */
function findAdvice({ step, code }: Pick<Failure, 'step' | 'code'>): string | undefined {
  const ofCode = Object.entries(texts.codeAdvice).find(([each]) => each === String(code))?.[1];
  return ofCode ?? (step === null ? undefined : texts.stepAdvice[step]);
}

/** Of the last attempt, or of a connection that was lost. */
export function ConnectionFailure({ failure }: { readonly failure: Failure }) {
  const { step, message } = failure;
  const advice = findAdvice(failure);
  return (
    <Alert color="red" my="sm" title={step === null ? texts.lost : texts.failed}>
      <Text size="sm" lang="en">
        {message}
      </Text>
      <Where failure={failure} />
      {advice !== undefined && (
        <Text size="sm" mt={6}>
          <b>{texts.readiness.whatToDo}:</b> {advice}
        </Text>
      )}
      {step === null && (
        <Text size="sm" mt={6}>
          {texts.stillWaiting}
        </Text>
      )}
    </Alert>
  );
}

function Where({ failure: { step, code } }: { readonly failure: Pick<Failure, 'step' | 'code'> }) {
  return (
    <Text size="sm">
      {step !== null && `${texts.atStep(texts.steps[step])} `}
      {code !== null && texts.providerCode(code)}
    </Text>
  );
}

interface ConnectProblemProps {
  readonly error: unknown;
  readonly place: { readonly projectId: string; readonly environmentId: string };
}

/** Of what was just tried: with the request, and where to read on. */
export function ConnectProblem({ error, place }: ConnectProblemProps) {
  if (error == null) return null;
  const failure = readFailure(error);
  const advice = failure && findAdvice(failure);
  const other = readOtherChannel(error);
  return (
    <>
      <ErrorNote error={error} />
      {failure !== undefined && <Where failure={failure} />}
      {advice !== undefined && (
        <Text size="sm">
          <b>{texts.readiness.whatToDo}:</b> {advice}
        </Text>
      )}
      {other !== undefined && (
        <Text size="sm">
          {texts.otherChannel}{' '}
          <PageLink
            to="/$projectId/$environmentId/channels/$channelId"
            params={{ ...place, channelId: other }}
          >
            {texts.toOtherChannel}
          </PageLink>
        </Text>
      )}
    </>
  );
}

function readFailure(error: unknown): Pick<Failure, 'step' | 'code'> | undefined {
  if (!(error instanceof ApiError) || error.code !== 'svc/chatapp/connect_failed') return undefined;
  const { step, code } = (error.details ?? {}) as Partial<Failure>;
  const known = Object.keys(texts.steps).find(each => each === step) as Failure['step'] | undefined;
  return { step: known ?? null, code: typeof code === 'number' ? code : null };
}

function readOtherChannel(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.code !== 'svc/runtime/conflict') return undefined;
  const { channelId } = (error.details ?? {}) as { readonly channelId?: unknown };
  return typeof channelId === 'string' ? channelId : undefined;
}
