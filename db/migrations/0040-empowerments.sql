-- Who has made whom an administrator or has given them a power to decide. Two people of whom one has made the
-- other are one pair of eyes until a third person has countersigned that step.

create table empowerments (
  id uuid primary key default uuidv7(),
  person_id uuid not null references users,
  empowered_by uuid not null references users,
  kind text not null check (kind in ('created', 'promoted', 'granted')),
  -- the action of a grant
  action text,
  created_at timestamptz(3) not null default now(),
  countersigned_by uuid references users,
  countersigned_at timestamptz(3),
  constraint empowerments_granted check ((kind = 'granted') = (action is not null)),
  constraint empowerments_not_by_oneself check (empowered_by <> person_id),
  constraint empowerments_countersigned check ((countersigned_by is null) = (countersigned_at is null)),
  constraint empowerments_by_a_third check (countersigned_by not in (person_id, empowered_by))
);
create index empowerments_alone on empowerments (person_id) where countersigned_by is null;
grant select on empowerments to teller_app;

-- what the audit log and the grants tell of those who are administrators already; nobody has countersigned it
insert into empowerments (person_id, empowered_by, kind, created_at)
  select distinct on (u.id, l.action) u.id, l.actor_id,
         case l.action when 'user.invited' then 'created' else 'promoted' end, l.at
    from audit_log l join users u on u.id::text = l.subject_id join users a on a.id = l.actor_id
   where l.action in ('user.invited', 'user.promoted') and l.subject_type = 'user' and a.id <> u.id
     and not coalesce(l.after ? 'again', false)
   order by u.id, l.action, l.at;
insert into empowerments (person_id, empowered_by, kind, action, created_at)
  select user_id, granted_by, 'granted', action, granted_at
    from user_permissions
   where granted_by is not null
     and action in ('account_types:write', 'accounts:review', 'accounts:write', 'aml:review', 'fees:write',
       'fx:write', 'permissions:write', 'transfers:configure', 'transfers:review', 'users:write');
