/** What became of the suggestions of each version: what people send as it is, what they change, and what they do not want. */
import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '../../kit/use-formats.ts';
import type { SuggestionFates } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

/** Days. */
const shownDays = 30;

const fates = ['approved', 'edited', 'discarded', 'superseded', 'expired', 'pending'] as const;

export function Suggestions({ agentId }: { readonly agentId: string }) {
  const texts = useTexts().agents.suggestions;
  const runs = useTexts().runs;
  const looms = useTexts().looms;
  const formats = useFormats();
  const { client } = useTenant();
  const { data, error } = useQuery({
    queryKey: ['agent-suggestions', agentId],
    queryFn: () => client.agents.getSuggestions(agentId, { days: shownDays }),
  });
  if (data === undefined) return <ErrorNote error={error} />;
  if (data.versions.length === 0) return <Text size="sm">{texts.none}</Text>;
  return (
    <Table.ScrollContainer minWidth={480} type="native" tabIndex={0} role="group" aria-label={texts.title}>
      <Table aria-label={texts.title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{looms.version}</Table.Th>
            {fates.map(fate => (
              <Table.Th key={fate} scope="col">
                {runs.fates[fate]}
              </Table.Th>
            ))}
            <Table.Th scope="col">{texts.asTheyWere}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.versions.map(each => (
            <Table.Tr key={each.loomVersionId}>
              <Table.Td>{looms.numbered(each.version)}</Table.Td>
              {fates.map(fate => (
                <Table.Td key={fate}>{formats.number(each[fate])}</Table.Td>
              ))}
              <Table.Td>{showShare(each, formats.percent)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Of those that people have decided about. */
function showShare(
  { approved, edited, discarded }: SuggestionFates,
  show: (share: number) => string,
): string {
  const decided = approved + edited + discarded;
  return decided === 0 ? '–' : show(approved / decided);
}
