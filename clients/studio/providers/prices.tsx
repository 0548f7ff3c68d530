/** The prices by which runs are priced: of the models in use, or of all that the list has. */
import { Anchor, SegmentedControl, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useFormats } from '../../kit/use-formats.ts';
import type { ModelPrice } from '../../sdk/index.ts';
import { providers } from '../looms/version-fields.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { ChoiceFilter, TextFilter } from '../parts/filters.tsx';
import { Section } from '../parts/page.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { texts } from '../texts/prices.ts';

export default function Prices() {
  const { providers: names } = useTexts().looms;
  const { client, environmentId } = useTenant();
  const search = useSearch({ from: '/signed-in/$projectId/$environmentId/providers' });
  const navigate = useNavigate({ from: '/$projectId/$environmentId/providers' });
  const { model, prices } = search;
  const provider = providers.find(each => each === search.provider);
  const inUse = prices !== 'all';
  const columns = useColumns();
  const isFiltered = model !== undefined || provider !== undefined;
  return (
    <Section title={texts.title}>
      <Text size="sm" c="dimmed" mb={8} maw={640}>
        {texts.about}
      </Text>
      <DataTable
        name="prices"
        label={texts.title}
        queryKey={['prices', environmentId, inUse, provider, model]}
        load={cursor => client.usage.listPrices({ inUse, provider, model, cursor, limit: 50 })}
        rowKey={each => `${each.provider} ${each.model}`}
        columns={columns}
        empty={
          isFiltered || !inUse ? (
            texts.noneFound
          ) : (
            <>
              <b>{texts.none}</b>
              {texts.noneHint}
            </>
          )
        }
        controls={
          <>
            <SegmentedControl
              size="xs"
              aria-label={texts.which}
              value={inUse ? 'used' : 'all'}
              onChange={value =>
                void navigate({
                  search: before => ({ ...before, prices: value === 'all' ? 'all' : undefined }),
                  resetScroll: false,
                })
              }
              data={(['used', 'all'] as const).map(value => ({ value, label: texts.of[value] }))}
            />
            <TextFilter
              label={texts.model}
              value={model}
              onChange={value =>
                void navigate({ search: before => ({ ...before, model: value }), resetScroll: false })
              }
            />
            <ChoiceFilter
              label={texts.provider}
              any={texts.anyProvider}
              value={provider}
              onChange={value =>
                void navigate({ search: before => ({ ...before, provider: value }), resetScroll: false })
              }
              choices={providers.map(value => ({ value, label: names[value] }))}
            />
          </>
        }
      />
    </Section>
  );
}

function useColumns(): Column<ModelPrice>[] {
  const { providers: names } = useTexts().looms;
  const { cost, number } = useFormats();
  const money = (
    key: string,
    label: string,
    read: (price: ModelPrice) => number | null,
    readLong?: (price: ModelPrice) => number | null,
  ): Column<ModelPrice> => ({
    key,
    label,
    align: 'right',
    show: price => {
      const value = read(price);
      const long = readLong?.(price) ?? null;
      if (value === null) return '–';
      return (
        <>
          {cost(value)}
          {long !== null && price.longFromTokens !== null && (
            <Text size="xs" c="dimmed">
              {texts.long(cost(long), number(price.longFromTokens))}
            </Text>
          )}
        </>
      );
    },
  });
  return [
    {
      key: 'model',
      label: texts.model,
      isFixed: true,
      show: ({ model, inputMicros }) => (
        <>
          <bdi>{model}</bdi>
          {inputMicros === null && (
            <Text size="xs" maw={360}>
              {texts.unknown}
            </Text>
          )}
        </>
      ),
    },
    { key: 'provider', label: texts.provider, show: ({ provider }) => names[provider] },
    money(
      'input',
      texts.input,
      each => each.inputMicros,
      each => each.longInputMicros,
    ),
    money(
      'output',
      texts.output,
      each => each.outputMicros,
      each => each.longOutputMicros,
    ),
    money('read', texts.cacheRead, each => each.cacheReadMicros),
    { ...money('write', texts.cacheWrite, each => each.cacheWriteMicros), isExtra: true },
    { key: 'asOf', label: texts.asOf, show: ({ asOf }) => asOf },
    {
      key: 'source',
      label: texts.source,
      show: ({ source }) =>
        source === null ? (
          '–'
        ) : (
          <Anchor size="sm" href={source} target="_blank" rel="noreferrer">
            {new URL(source).hostname}
          </Anchor>
        ),
    },
  ];
}
