import { ActionIcon, Button, Popover, Tooltip, UnstyledButton } from '@mantine/core';
import { IconBookmark, IconBookmarks, IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { parseFilter } from '../../../../shared/filter-language/parse.ts';
import type { SavedFilter } from '../../../../shared/saved-filter.ts';
import { useCalls } from '../../../api/client.ts';
import { toastError, toastSuccess } from '../../../hooks/toast.ts';
import classes from './filter-box.module.css';
import { NameDialog } from './name-dialog.tsx';

interface SavedFiltersProps {
  /** The filter that can be saved. */
  readonly text: string;
  readonly onPick: (text: string) => void;
}

/** What the dialog for a name is open for. */
type Naming = { readonly kind: 'save' } | { readonly kind: 'rename'; readonly name: string };

/** Saves the filter under a name, and picks, renames and deletes those that are saved. */
export function SavedFilters({ text, onPick }: SavedFiltersProps) {
  const { data: saved = [] } = useQuery(useCalls().history.filters.list.queryOptions());
  const [naming, setNaming] = useState<Naming | null>(null);
  const [isOpen, setOpen] = useState(false);
  const begin = (next: Naming): void => {
    setOpen(false);
    setNaming(next);
  };
  const isValid = text.trim() !== '' && parseFilter(text).errors.length === 0;
  return (
    <>
      <Popover
        opened={isOpen}
        onChange={setOpen}
        position="bottom-end"
        withinPortal={false}
        trapFocus
        returnFocus
      >
        <Popover.Target>
          <Tooltip label="Saved filters">
            <ActionIcon
              variant="default"
              size={30}
              aria-label="Saved filters"
              onClick={() => setOpen((before) => !before)}
            >
              <IconBookmarks size={16} />
            </ActionIcon>
          </Tooltip>
        </Popover.Target>
        <Popover.Dropdown p={6} aria-label="Saved filters" className={classes['savedList'] ?? ''}>
          <SavedList
            saved={saved}
            onPick={(picked) => {
              setOpen(false);
              onPick(picked);
            }}
            onRename={(name) => begin({ kind: 'rename', name })}
          />
          <Button
            fullWidth
            size="compact-sm"
            variant="subtle"
            leftSection={<IconBookmark size={15} />}
            disabled={!isValid}
            onClick={() => begin({ kind: 'save' })}
          >
            Save this filter…
          </Button>
        </Popover.Dropdown>
      </Popover>
      {naming !== null && <Naming naming={naming} text={text} onClose={() => setNaming(null)} />}
    </>
  );
}

interface SavedListProps {
  readonly saved: readonly SavedFilter[];
  readonly onPick: (text: string) => void;
  readonly onRename: (name: string) => void;
}

function SavedList({ saved, onPick, onRename }: SavedListProps) {
  if (saved.length === 0) return null;
  return (
    <ul className={classes['items']}>
      {saved.map((filter) => (
        <SavedItem
          key={filter.name}
          filter={filter}
          onPick={() => onPick(filter.text)}
          onRename={() => onRename(filter.name)}
        />
      ))}
    </ul>
  );
}

interface SavedItemProps {
  readonly filter: SavedFilter;
  readonly onPick: () => void;
  readonly onRename: () => void;
}

function SavedItem({ filter: { name, text }, onPick, onRename }: SavedItemProps) {
  const refresh = useRefresh();
  const remove = useMutation(
    useCalls().history.filters.remove.mutationOptions({
      onSuccess: () => {
        toastSuccess(`The filter “${name}” was deleted.`);
        void refresh();
      },
      onError: (error) => toastError('Could not delete the filter.', error),
    }),
  );
  return (
    <li className={classes['item']}>
      <UnstyledButton className={classes['pick'] ?? ''} onClick={onPick}>
        <span className={classes['savedName']}>{name}</span>
        <span className={classes['savedText']}>{text}</span>
      </UnstyledButton>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Rename the filter ${name}`}
        onClick={onRename}
      >
        <IconPencil size={14} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Delete the filter ${name}`}
        onClick={() => remove.mutate({ name })}
      >
        <IconTrash size={14} />
      </ActionIcon>
    </li>
  );
}

function useRefresh(): () => Promise<void> {
  const calls = useCalls();
  const queries = useQueryClient();
  return async () =>
    await queries.invalidateQueries({ queryKey: calls.history.filters.list.key() });
}

interface NamingProps {
  readonly naming: Naming;
  readonly text: string;
  readonly onClose: () => void;
}

function Naming({ naming, text, onClose }: NamingProps) {
  const { filters } = useCalls().history;
  const save = useMutation(filters.save.mutationOptions());
  const rename = useMutation(filters.rename.mutationOptions());
  const refresh = useRefresh();
  const isNew = naming.kind === 'save';
  return (
    <NameDialog
      title={isNew ? 'Save this filter' : `Rename “${naming.name}”`}
      description={isNew ? 'A saved filter of the same name is replaced.' : undefined}
      initial={isNew ? '' : naming.name}
      onSubmit={async (name) => {
        if (isNew) await save.mutateAsync({ name, text });
        else await rename.mutateAsync({ name: naming.name, to: name });
        await refresh();
        toastSuccess(`Saved as “${name}”.`);
        onClose();
      }}
      onClose={onClose}
    />
  );
}
