import kafkajs, { type AclEntry } from 'kafkajs';
import type { Access } from '../kafka.ts';

// The library's names of these are not to be seen by an import of single names.
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

const RESOURCES = { topic: AclResourceTypes.TOPIC, group: AclResourceTypes.GROUP };
const OPERATIONS = { Read: AclOperationTypes.READ, Write: AclOperationTypes.WRITE };

/** An access as Kafka keeps it: from anywhere, to the one thing of that name. */
export function aclOf({ service, resource, name, operation }: Access): AclEntry {
  return {
    principal: `User:${service}`,
    host: '*',
    resourceType: RESOURCES[resource],
    resourceName: name,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    operation: OPERATIONS[operation],
    permissionType: AclPermissionTypes.ALLOW,
  };
}
