import { Combobox, type ComboboxStore, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useCalls } from '../../api/client.ts';
import { useModelChoice } from '../../api/use-model-list.ts';
import { useFavouriteModels } from '../../hooks/use-favourite-models.ts';
import classes from './model-picker.module.css';
import { readModelChoices } from './model-choices.ts';
import { filterOptions, type ModelOption, toModelOptions } from './model-options.ts';

/** Maximum length of a model id. */
const MAX_LENGTH = 256;
const PAUSE_MS = 150;

interface ModelSearchProps {
  readonly value: string;
  readonly store: ComboboxStore;
}

/** Searches the live model list by any of the words, favourites and the person's latest choices first. */
export function ModelSearch({ value, store }: ModelSearchProps) {
  const [find, setFind] = useState('');
  const models = useModelChoice();
  const { favourites } = useFavouriteModels();
  const options = useMemo(
    () => toModelOptions(models, [...favourites, ...readModelChoices()]),
    [models, favourites],
  );
  const query = useDeferredValue(find.trim());
  const shown = useMemo(() => filterOptions(options, query), [options, query]);
  const isTyped = query !== '' && !options.some(({ id }) => id === query);
  // Enter selects the first result.
  useEffect(() => {
    if (query === '') store.updateSelectedOptionIndex('active', { scrollIntoView: true });
    else store.selectFirstOption();
    // oxlint-disable-next-line react/exhaustive-deps -- the store is another object at every rendering
  }, [query, shown]);
  const onKey = useEnterAfterSearch(query === find.trim(), store);
  return (
    <div role="dialog" aria-label="Choose a model" onKeyDownCapture={onKey}>
      <Combobox.Search
        value={find}
        onChange={(event) => setFind(event.currentTarget.value.slice(0, MAX_LENGTH))}
        placeholder="Find, or type an id"
        aria-label="Find a model"
        autoComplete="off"
        spellCheck={false}
      />
      <Combobox.Options className={classes['options'] ?? ''} aria-label="Models" tabIndex={0}>
        {shown.map((option) => (
          <Option key={option.id} option={option} active={option.id === value} />
        ))}
        {isTyped && (
          <Combobox.Option value={query} key="typed">
            <Text size="sm" component="div">
              Use <span className={classes['optionId']}>{query}</span> as typed
            </Text>
          </Combobox.Option>
        )}
        {shown.length === 0 && !isTyped && (
          <Combobox.Empty>The service has not sent a model list. Type an id.</Combobox.Empty>
        )}
      </Combobox.Options>
      {isTyped && shown.length === 0 && models.length > 0 && <Meaning name={query} />}
    </div>
  );
}

/** Postpones an Enter that is pressed before the results of the latest text are shown. */
function useEnterAfterSearch(isCurrent: boolean, store: ComboboxStore) {
  const [isPostponed, setPostponed] = useState(false);
  useEffect(() => {
    if (!isPostponed || !isCurrent) return;
    setPostponed(false);
    store.selectFirstOption();
    store.clickSelectedOption();
    // oxlint-disable-next-line react/exhaustive-deps -- the store is another object at every rendering
  }, [isPostponed, isCurrent]);
  return (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || isCurrent) return;
    event.preventDefault();
    event.stopPropagation();
    setPostponed(true);
  };
}

function Option({ option, active }: { readonly option: ModelOption; readonly active: boolean }) {
  const { id, title } = option;
  return (
    <Combobox.Option value={id} active={active} className={classes['option'] ?? ''}>
      <span className={classes['optionId']}>{id}</span>
      {title !== null && <span className={classes['optionTitle']}>{title}</span>}
    </Combobox.Option>
  );
}

/** Explains why an id that is not in the list is wrong. */
function Meaning({ name }: { readonly name: string }) {
  const [debouncedName] = useDebouncedValue(name, PAUSE_MS);
  const { data, isPlaceholderData } = useQuery(
    useCalls().models.explain.queryOptions({ input: { name: debouncedName } }),
  );
  return (
    <Combobox.Footer>
      <Text size="xs" role="status" mih="2.6em">
        {isPlaceholderData ? '' : data?.sentence}
      </Text>
    </Combobox.Footer>
  );
}
