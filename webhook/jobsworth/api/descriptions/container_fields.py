"""Field descriptions of containers."""

from __future__ import annotations

_OPTIONAL = "The container may start if the object or the key does not exist."
_OPTIONAL_WHOLE = "The container may start if the object does not exist."
_EXEC = "A command in the container; exit code 0 is success."
_HTTP_GET = "An HTTP GET request; a status from 200 to 399 is success."
_TCP_SOCKET = "A TCP connection; success if it opens."

_OF_ANY_CONTAINER = {
    "name": "The container's name, unique in the Pod.",
    "image": "The image, for example registry.example.com/team/app:1.2.3.",
    "command": "Replaces the entrypoint of the image; $(NAME) expands a variable.",
    "args": "Replaces the arguments of the image; $(NAME) expands a variable.",
    "workingDir": "The working directory; that of the image if unset.",
    "ports": "Ports of the container, which probes refer to by name; unlisted ports are reachable, too.",
    "envFrom": "Variables from whole ConfigMaps and Secrets; the last of equal names applies.",
    "env": "Environment variables; they override those of envFrom.",
    "resources": "Requests, limits and claims of the container.",
    "resizePolicy": "Resources that can be resized in place, with or without a restart.",
    "restartPolicyRules": "Restart rules by exit code; the first rule that matches applies.",
    "volumeMounts": "Volumes of the Pod to mount, and their paths.",
    "volumeDevices": "Volumes of the Pod to attach as raw block devices.",
    "livenessProbe": "A check; the container restarts when it fails.",
    "readinessProbe": "A check; the container gets traffic only while it succeeds.",
    "startupProbe": "A check; the other probes start after its first success.",
    "lifecycle": "Hooks that run after the start and before the stop.",
    "terminationMessagePath": "The file with the termination message; /dev/termination-log if unset.",
    "terminationMessagePolicy": (
        "File (the default): only the file; FallbackToLogsOnError: the end of the log if the "
        "container failed and the file is empty."
    ),
    "imagePullPolicy": (
        "Always, IfNotPresent or Never; if unset, Always for the tag latest (or no tag and no digest), "
        "otherwise IfNotPresent."
    ),
    "securityContext": "Security settings of the container; they override those of the Pod.",
    "stdin": "Keep the standard input open.",
    "stdinOnce": "Close the standard input after the first attached client disconnects.",
    "tty": "Allocate a terminal; requires stdin.",
}

DESCRIPTIONS: dict[str, str] = {
    # Containers
    **{f"Container.{field}": text for field, text in _OF_ANY_CONTAINER.items()},
    **{f"InitContainer.{field}": text for field, text in _OF_ANY_CONTAINER.items()},
    **{f"EphemeralContainer.{field}": text for field, text in _OF_ANY_CONTAINER.items()},
    "Container.restartPolicy": (
        "The restart policy of this container, Always, OnFailure or Never; overrides that of "
        "the Pod."
    ),
    "InitContainer.restartPolicy": (
        "Always makes it a sidecar, which runs alongside the app containers; OnFailure and "
        "Never override the restart policy of the Pod."
    ),
    "InitContainer.livenessProbe": "Sidecars only: a check; the sidecar restarts when it fails.",
    "InitContainer.readinessProbe": "Sidecars only: a check; the Pod is not ready until it succeeds.",
    "InitContainer.startupProbe": "Sidecars only: a check; the next containers start after its success.",
    "InitContainer.lifecycle": "Sidecars only: hooks that run after the start and before the stop.",
    "EphemeralContainer.restartPolicy": "Not allowed.",
    "EphemeralContainer.targetContainerName": "The container whose processes are visible.",
    # Ports
    "ContainerPort.name": "The name by which probes and Services refer to it.",
    "ContainerPort.hostPort": "The port on the node; with hostNetwork it equals containerPort.",
    "ContainerPort.containerPort": "The port's number.",
    "ContainerPort.protocol": "TCP (the default), UDP or SCTP.",
    "ContainerPort.hostIP": "The address on the node; all addresses if unset.",
    # Restarting
    "ContainerRestartRule.action": (
        "Restart: restart this container; RestartAllContainers: restart all containers of the Pod."
    ),
    "ContainerRestartRule.exitCodes": "The exit codes that the rule matches.",
    "ContainerRestartRuleOnExitCodes.operator": "In or NotIn: these codes, or all others.",
    "ContainerRestartRuleOnExitCodes.values": "Up to 255 exit codes.",
    # The environment
    "EnvVar.name": "The variable's name: printable ASCII without an equals sign.",
    "EnvVar.value": "The value; $(NAME) expands an earlier variable, $$(NAME) is literal.",
    "EnvVar.valueFrom": "The source of the value; excludes value.",
    "EnvVarSource.fieldRef": "A field of the Pod, for example metadata.name or status.podIP.",
    "EnvVarSource.resourceFieldRef": "A limit or request of a container.",
    "EnvVarSource.configMapKeyRef": "A key of a ConfigMap.",
    "EnvVarSource.secretKeyRef": "A key of a Secret.",
    "EnvVarSource.fileKeyRef": "A variable from a file that an init container has written.",
    "EnvFromSource.prefix": "Prefix of every variable name.",
    "EnvFromSource.configMapRef": "The ConfigMap.",
    "EnvFromSource.secretRef": "The Secret.",
    "ConfigMapEnvSource.name": "The ConfigMap's name.",
    "ConfigMapEnvSource.optional": _OPTIONAL_WHOLE,
    "SecretEnvSource.name": "The Secret's name.",
    "SecretEnvSource.optional": _OPTIONAL_WHOLE,
    "ConfigMapKeySelector.name": "The ConfigMap's name.",
    "ConfigMapKeySelector.key": "The key.",
    "ConfigMapKeySelector.optional": _OPTIONAL,
    "SecretKeySelector.name": "The Secret's name.",
    "SecretKeySelector.key": "The key.",
    "SecretKeySelector.optional": _OPTIONAL,
    "FileKeySelector.volumeName": "The emptyDir volume that has the file.",
    "FileKeySelector.path": "The path of the file in the volume.",
    "FileKeySelector.key": "The variable's name in the file.",
    "FileKeySelector.optional": _OPTIONAL,
    # Actions
    "ExecAction.command": "The program and its arguments; not run in a shell.",
    "HTTPHeader.name": "The header's name.",
    "HTTPHeader.value": "The header's value.",
    "HTTPGetAction.path": "The path of the request; / if unset.",
    "HTTPGetAction.port": "The port, by number or by name.",
    "HTTPGetAction.host": "The host; the Pod's IP address if unset.",
    "HTTPGetAction.scheme": "HTTP (the default), or HTTPS without verification of the certificate.",
    "HTTPGetAction.httpHeaders": "Headers of the request.",
    "HTTPGetAction.protocol": "The protocol of the request; HTTP/1.1 if unset.",
    "TCPSocketAction.port": "The port, by number or by name.",
    "TCPSocketAction.host": "The host; the Pod's IP address if unset.",
    "GRPCAction.port": "The port's number.",
    "GRPCAction.service": "The service name in the health check request.",
    "GRPCAction.mode": "Plaintext, or TLS without verification of the certificate.",
    "SleepAction.seconds": "Duration in seconds; at most the termination grace period.",
    "LifecycleHandler.exec": _EXEC,
    "LifecycleHandler.httpGet": _HTTP_GET,
    "LifecycleHandler.tcpSocket": "Deprecated: the hook always fails.",
    "LifecycleHandler.sleep": "A pause.",
    "Lifecycle.postStart": "Hook after the start; the container is killed if it fails.",
    "Lifecycle.preStop": "Hook before the stop; its time counts toward the grace period.",
    "Lifecycle.stopSignal": "The signal that stops the container; requires the Pod's os.name.",
    # Probes
    "Probe.exec": _EXEC,
    "Probe.httpGet": _HTTP_GET,
    "Probe.tcpSocket": _TCP_SOCKET,
    "Probe.grpc": "A call to the standard gRPC health service.",
    "Probe.initialDelaySeconds": "Seconds from the container's start to the first check.",
    "Probe.timeoutSeconds": "Timeout of one check in seconds; 1 if unset.",
    "Probe.periodSeconds": "Seconds from one check to the next; 10 if unset.",
    "Probe.successThreshold": (
        "Consecutive successes after a failure; 1 if unset; must be 1 except for readiness."
    ),
    "Probe.failureThreshold": "Consecutive failures until the probe fails; 3 if unset.",
    "Probe.terminationGracePeriodSeconds": "Grace period after a failed probe; not allowed for readiness.",
    # Resources
    "ResourceClaim.name": "The claim's name in the Pod's resourceClaims.",
    "ResourceClaim.request": "One request of the claim; the whole claim if unset.",
    "PodResourceRequirements.limits": "Maximum amount of each resource for all containers.",
    "PodResourceRequirements.requests": "Amounts reserved for the Pod as a whole; at most the limits.",
    "PodResourceRequirements.claims": "Must be unset: claims belong to containers.",
    "ResourceRequirements.limits": "Maximum amount of each resource.",
    "ResourceRequirements.requests": "Amounts that the scheduler reserves; at most the limits.",
    "ResourceRequirements.claims": "Claims of the Pod that the container uses.",
    "ContainerResizePolicy.resourceName": "cpu or memory.",
    "ContainerResizePolicy.restartPolicy": (
        "NotRequired: resize without a restart if possible; RestartContainer: restart the "
        "container."
    ),
    # Mounts
    "VolumeMount.name": "The name of a volume of the Pod.",
    "VolumeMount.readOnly": "Mount the volume read-only.",
    "VolumeMount.recursiveReadOnly": (
        "Mounts below a read-only mount: Disabled (if unset) leaves them writable, IfPossible "
        "makes them read-only if the node supports it, Enabled requires that."
    ),
    "VolumeMount.mountPath": "The path in the container, unique among its mounts.",
    "VolumeMount.subPath": "A path in the volume to mount instead of its root.",
    "VolumeMount.mountPropagation": (
        "Propagation of later mounts: None (if unset), HostToContainer (from the node) or "
        "Bidirectional (both ways; privileged containers only)."
    ),
    "VolumeMount.subPathExpr": "Like subPath, with variables $(NAME).",
    "VolumeMount.bindMountOptions": "Mount options: noexec, nodev, nosuid.",
    "VolumeDevice.name": "The name of a persistentVolumeClaim volume of the Pod.",
    "VolumeDevice.devicePath": "The path of the device in the container.",
}
