-- Lists of names: what a new file would change, and how it takes effect.

-- What the staged entries of a load would add, change and remove. An entry that has only got another id is
-- changed.
create or replace function screening_list_difference(
  of_load uuid, out before integer, out added integer, out changed integer, out removed integer
) language sql stable set search_path = public, pg_temp as $$
  with load as (select source from screening_list_loads where id = of_load),
  old as (
    select e.* from screening_entries e, load where e.source = load.source and e.removed_version is null),
  new as (select s.* from screening_staged s where s.load_id = of_load),
  fresh as (select n.* from new n where not exists (select from old o where o.ref = n.ref)),
  gone as (select o.* from old o where not exists (select from new n where n.ref = o.ref)),
  renamed as (
    select count(distinct f.identity_hash)::integer as count
      from fresh f join gone g on g.identity_hash = f.identity_hash)
  select (select count(*)::integer from old),
         (select count(*)::integer from fresh) - renamed.count,
         (select count(*)::integer from old o join new n on n.ref = o.ref
           where n.content_hash <> o.content_hash) + renamed.count,
         (select count(*)::integer from gone) - renamed.count
    from renamed
$$;
grant execute on function screening_list_difference to teller_app;

-- Puts the staged entries of a load into force as the next version of its source. Calls for one source follow
-- one another by its advisory lock.
create or replace function screening_list_take(of_load uuid) returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  list text := (select source from screening_list_loads where id = of_load);
  taken integer;
begin
  select coalesce(max(version), 0) + 1 into taken
    from screening_list_loads where source = list and status = 'loaded';
  -- another id for the same names and dates of birth
  update screening_entries e
     set ref = f.ref, former_refs = e.former_refs || e.ref
    from (select distinct on (s.identity_hash) s.identity_hash, s.ref from screening_staged s
           where s.load_id = of_load and not exists (
             select from screening_entries o
              where o.source = list and o.removed_version is null and o.ref = s.ref)
           order by s.identity_hash, s.ref) f
   where e.id = (
     select g.id from screening_entries g
      where g.source = list and g.removed_version is null and g.identity_hash = f.identity_hash
        and not exists (select from screening_staged s where s.load_id = of_load and s.ref = g.ref)
      order by g.id limit 1);
  update screening_entries e
     set kind = s.kind, names = s.names, details = s.details, programme = s.programme,
         reference = s.reference,
         content_hash = s.content_hash, identity_hash = s.identity_hash, since_version = taken
    from screening_staged s
   where s.load_id = of_load and e.source = list and e.removed_version is null and e.ref = s.ref
     and e.content_hash <> s.content_hash;
  update screening_entries e set removed_version = taken
   where e.source = list and e.removed_version is null
     and not exists (select from screening_staged s where s.load_id = of_load and s.ref = e.ref);
  insert into screening_entries
    (source, ref, kind, names, details, programme, reference, content_hash, identity_hash, since_version)
  select list, s.ref, s.kind, s.names, s.details, s.programme, s.reference, s.content_hash, s.identity_hash,
         taken
    from screening_staged s
   where s.load_id = of_load and not exists (
     select from screening_entries e where e.source = list and e.removed_version is null and e.ref = s.ref);
  delete from screening_staged where load_id = of_load;
  -- whoever books by the lists as they were has committed; whoever comes later has to screen again
  perform pg_advisory_xact_lock(screening_lock());
  update screening_state set epoch = epoch + 1;
  update screening_list_loads set status = 'loaded', version = taken, loaded_at = bank_now(),
    epoch = (select s.epoch from screening_state s) where id = of_load;
  return taken;
end $$;
grant execute on function screening_list_take to teller_app;
