/** What went wrong, with what support asks for: the id of the request, and where the code is explained. */
import { Alert, Anchor } from '@mantine/core';
import { ApiError } from '../../sdk/index.ts';
import { useErrorText } from '../../kit/error-texts.ts';
import { useTexts } from '../texts/index.ts';

/** Of no error it shows nothing: the place of those that may come. */
export function ErrorNote({ error }: { readonly error: unknown }) {
  const texts = useTexts().errors;
  const text = useErrorText(error);
  if (text === undefined) return null;
  const { requestId, docsUrl } = error instanceof ApiError ? error : {};
  return (
    <Alert color="red" role="alert" my="xs">
      {text}
      {requestId !== undefined && !text.includes(requestId) && <div>{texts.request(requestId)}</div>}
      {docsUrl !== undefined && isOwnAddress(docsUrl) && (
        <Anchor size="sm" c="inherit" underline="always" href={docsUrl} target="_blank" rel="noreferrer">
          {texts.explanation}
        </Anchor>
      )}
    </Alert>
  );
}

/** An answer leads to this server's pages, or nowhere. */
const isOwnAddress = (url: string): boolean =>
  URL.canParse(url, location.origin) && ['http:', 'https:'].includes(new URL(url, location.origin).protocol);
