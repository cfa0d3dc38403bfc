// Command peer is the controller that the benchmark compares with: PlatformApplication on the operator's CRDs, written
// with controller-runtime. It has no ledger: a crash between the POST of a create and the write of the annotation
// creates twice. It reads no ingress, reports no drift, and sets about a third of the operator's status.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
	"platform-operator.io/bench/peer/api"
	"platform-operator.io/bench/peer/platform"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	finalizer           = "platform-operator.io/finalizer"
	idAnnotation        = "platform-operator.io/external-id"
	variablesAnnotation = "bench-peer/variables"
)

type session struct {
	waits   int
	settled bool
	// the import after a create is pending; in memory only
	importDue bool
}
type R struct {
	client.Client
	direct   client.Reader
	p        *platform.Client
	rec      events.EventRecorder
	mu       sync.Mutex
	sessions map[types.NamespacedName]*session
	poll     time.Duration
}

func (r *R) session(k types.NamespacedName) *session {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sessions[k]
	if s == nil {
		// objects of the first list are verified over the poll interval, see Reconcile
		s = &session{}
		r.sessions[k] = s
	}
	return s
}
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.9 + 0.2*rand.Float64()))
}
func follow(n int) time.Duration {
	return time.Duration(math.Min(30, 2*math.Pow(1.5, float64(n))) * float64(time.Second))
}

func (r *R) variables(ctx context.Context, a *api.PlatformApplication) ([]platform.Var, string, error) {
	vars := make([]platform.Var, 0, len(a.Spec.Variables))
	h := sha256.New()
	for _, v := range a.Spec.Variables {
		out := platform.Var{Name: v.Name}
		if v.ValueFrom != nil && v.ValueFrom.SecretKeyRef != nil {
			var s corev1.Secret
			if err := r.direct.Get(ctx, types.NamespacedName{Namespace: a.Namespace, Name: v.ValueFrom.SecretKeyRef.Name}, &s); err != nil {
				return nil, "", err
			}
			out.Value, out.Secret = string(s.Data[v.ValueFrom.SecretKeyRef.Key]), true
		} else if v.Value != nil {
			out.Value = *v.Value
		}
		vars = append(vars, out)
		fmt.Fprintf(h, "%s\x00%s\x00", out.Name, out.Value)
	}
	return vars, hex.EncodeToString(h.Sum(nil)[:12]), nil
}

func setConditions(a *api.PlatformApplication, state string) {
	ready, reason, msg := metav1.ConditionFalse, "Deploying", fmt.Sprintf("Commit %.7s is being deployed.", a.Spec.Deploy.GitCommitID)
	if state == "DEPLOYED" || state == "RUNNING" {
		ready, reason, msg = metav1.ConditionTrue, "Deployed", fmt.Sprintf("Commit %.7s is deployed.", a.Spec.Deploy.GitCommitID)
	}
	set := func(t string, s metav1.ConditionStatus, reason, msg string) {
		meta.SetStatusCondition(&a.Status.Conditions, metav1.Condition{Type: t, Status: s, Reason: reason, Message: msg, ObservedGeneration: a.Generation})
	}
	set("Ready", ready, reason, msg)
	set("Synced", metav1.ConditionTrue, "ReconcileSuccess", "The last exchange with the platform succeeded.")
	set("Deployed", ready, state, "The platform reports "+state+".")
	if ready == metav1.ConditionTrue {
		meta.RemoveStatusCondition(&a.Status.Conditions, "Reconciling")
	} else {
		set("Reconciling", metav1.ConditionTrue, reason, msg)
	}
}

func (r *R) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	res, err := r.reconcile(ctx, req)
	var limited *platform.RateLimited
	if errors.As(err, &limited) {
		return ctrl.Result{RequeueAfter: jitter(limited.After + 300*time.Millisecond)}, nil
	}
	return res, err
}

func (r *R) reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var a api.PlatformApplication
	if err := r.Get(ctx, req.NamespacedName, &a); err != nil {
		r.mu.Lock()
		delete(r.sessions, req.NamespacedName)
		r.mu.Unlock()
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	s := r.session(req.NamespacedName)
	wantsFin := a.Spec.Lifecycle != nil && (a.Spec.Lifecycle.DeletionPolicy == "Delete" || a.Spec.Lifecycle.DeletionPolicy == "Stop")
	id := a.Status.ExternalID
	if id == "" {
		id = a.Annotations[idAnnotation]
	}
	if !a.DeletionTimestamp.IsZero() {
		if !controllerutil.ContainsFinalizer(&a, finalizer) {
			return ctrl.Result{}, nil
		}
		if id != "" && a.Spec.Lifecycle != nil && a.Spec.Lifecycle.DeletionPolicy == "Delete" {
			if err := r.p.Delete(ctx, id); err != nil {
				return ctrl.Result{}, err
			}
		}
		base := client.MergeFrom(a.DeepCopy())
		controllerutil.RemoveFinalizer(&a, finalizer)
		return ctrl.Result{}, client.IgnoreNotFound(r.Patch(ctx, &a, base))
	}
	env := a.Spec.EnvironmentRef.ExternalID
	if env == "" {
		var e api.PlatformEnvironment
		if err := r.Get(ctx, types.NamespacedName{Namespace: a.Namespace, Name: a.Spec.EnvironmentRef.Name}, &e); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		if env = e.Status.ExternalID; env == "" {
			return ctrl.Result{}, nil // its status wakes us
		}
	}
	if a.Spec.Deploy == nil {
		return ctrl.Result{}, nil
	}
	commit := a.Spec.Deploy.GitCommitID
	// After a start, settled objects are verified over the poll interval, as in the product.
	if !s.settled && s.waits == 0 && id != "" && a.Status.ObservedGeneration == a.Generation && meta.IsStatusConditionTrue(a.Status.Conditions, "Ready") {
		s.settled = true
		return ctrl.Result{RequeueAfter: time.Duration(rand.Float64() * float64(r.poll))}, nil
	}
	vars, hash, err := r.variables(ctx, &a)
	if err != nil {
		return ctrl.Result{}, err
	}
	if id == "" {
		if id, err = r.p.Create(ctx, env, &a.Spec); err != nil {
			return ctrl.Result{}, err
		}
		log.FromContext(ctx).Info("created", "id", id)
		base := client.MergeFrom(a.DeepCopy())
		metav1.SetMetaDataAnnotation(&a.ObjectMeta, idAnnotation, id)
		metav1.SetMetaDataAnnotation(&a.ObjectMeta, variablesAnnotation, hash)
		if wantsFin {
			controllerutil.AddFinalizer(&a, finalizer)
		}
		if err := r.Patch(ctx, &a, base); err != nil {
			return ctrl.Result{}, err
		}
		if len(vars) > 0 {
			s.importDue = true
			if err := r.p.Import(ctx, id, vars); err != nil {
				return ctrl.Result{}, err
			}
			s.importDue = false
		}
		r.rec.Eventf(&a, nil, corev1.EventTypeNormal, "Created", "Create", "Application %s was created on the platform.", id)
	} else if s.importDue {
		if err := r.p.Import(ctx, id, vars); err != nil {
			return ctrl.Result{}, err
		}
		s.importDue = false
	} else if known := a.Annotations[variablesAnnotation]; known != hash && len(vars) > 0 && (known != "" || a.Status.LastDeployment == nil) {
		if err := r.p.Import(ctx, id, vars); err != nil {
			return ctrl.Result{}, err
		}
		base := client.MergeFrom(a.DeepCopy())
		metav1.SetMetaDataAnnotation(&a.ObjectMeta, variablesAnnotation, hash)
		if err := r.Patch(ctx, &a, base); err != nil {
			return ctrl.Result{}, err
		}
		a.Status.LastDeployment = nil // deploy again
	}
	before := a.DeepCopy()
	var rem platform.Status
	if last := a.Status.LastDeployment; last == nil || last.GitCommitID != commit {
		if rem, err = r.p.Deploy(ctx, id, commit); err != nil {
			return ctrl.Result{}, err
		}
		a.Status.LastDeployment = &api.LastDeployment{GitCommitID: commit, RequestID: rem.RequestID, StartedAt: time.Now().UTC().Format(time.RFC3339)}
		a.Status.Commit = fmt.Sprintf("%.7s", commit)
		s.waits, s.settled = 0, false
		if rem.State == "DEPLOYED" {
			rem.State = "DEPLOYMENT_QUEUED" // DEPLOYED is the state of the previous deployment
		}
	} else if rem, err = r.p.Status(ctx, id); err != nil {
		return ctrl.Result{}, err
	}
	a.Status.ExternalID, a.Status.ObservedGeneration, a.Status.State, a.Status.ServiceDeploymentStatus = id, a.Generation, rem.State, rem.SDS
	done := rem.State == "DEPLOYED"
	became := false
	if done && a.Status.LastDeployment.FinishedAt == "" {
		a.Status.LastDeployment.FinishedAt, a.Status.LastDeployment.State = time.Now().UTC().Format(time.RFC3339), rem.State
		became = true
	}
	// Writes the first status and the last one, but no intermediate states.
	if done || before.Status.ObservedGeneration != a.Generation || before.Status.LastDeployment == nil || before.Status.LastDeployment.GitCommitID != commit {
		setConditions(&a, rem.State)
		if !sameStatus(&before.Status, &a.Status) {
			if err := r.Status().Patch(ctx, &a, client.MergeFrom(before)); err != nil {
				return ctrl.Result{}, err
			}
		}
	}
	if became {
		r.rec.Eventf(&a, nil, corev1.EventTypeNormal, "Deployed", "Deploy", "Commit %.7s is deployed.", commit)
	}
	if !done {
		d := follow(s.waits)
		s.waits++
		return ctrl.Result{RequeueAfter: d}, nil
	}
	if became || !s.settled {
		s.settled = true
		return ctrl.Result{RequeueAfter: jitter(time.Minute)}, nil
	}
	return ctrl.Result{RequeueAfter: jitter(r.poll)}, nil
}

func sameStatus(a, b *api.Status) bool {
	x, _ := client.MergeFrom(&api.PlatformApplication{Status: *a}).Data(&api.PlatformApplication{Status: *b})
	return string(x) == "{}"
}

func main() {
	var namespace, base, token string
	var conc int
	r := &R{sessions: map[types.NamespacedName]*session{}}
	flag.StringVar(&namespace, "namespace", "", "the namespaces to watch, separated by commas")
	flag.IntVar(&conc, "workers", 10, "reconciles at once")
	flag.StringVar(&base, "platform", "", "the address of the platform")
	flag.StringVar(&token, "token", "", "the token of the platform")
	flag.DurationVar(&r.poll, "poll", 10*time.Minute, "the interval of the reads of a settled object")
	flag.Parse()
	logger := zap.New(zap.UseDevMode(false), zap.WriteTo(os.Stdout))
	log.SetLogger(logger)
	klog.SetLogger(logger) // leader election uses klog
	cfg, err := ctrl.GetConfig() // controller-runtime has the flag -kubeconfig
	if err != nil {
		panic(err)
	}
	cfg.QPS = -1
	cfg.UserAgent = "bench-peer"
	s := api.Scheme()
	_ = corev1.AddToScheme(s)
	namespaces := map[string]cache.Config{}
	for _, one := range strings.Split(namespace, ",") {
		namespaces[one] = cache.Config{}
	}
	co := cache.Options{DefaultNamespaces: namespaces, DefaultTransform: cache.TransformStripManagedFields()}
	m, err := ctrl.NewManager(cfg, ctrl.Options{Scheme: s, Cache: co, Metrics: metricsserver.Options{BindAddress: "0"}, LeaderElection: true, LeaderElectionID: "bench-peer", LeaderElectionNamespace: "default", LeaderElectionReleaseOnCancel: true})
	if err != nil {
		panic(err)
	}
	r.Client, r.direct, r.p, r.rec = m.GetClient(), m.GetAPIReader(), platform.New(base, token, conc), m.GetEventRecorder("bench-peer")
	ctx := ctrl.SetupSignalHandler()
	if err := m.GetFieldIndexer().IndexField(ctx, &api.PlatformApplication{}, "env", func(o client.Object) []string {
		return []string{o.(*api.PlatformApplication).Spec.EnvironmentRef.Name}
	}); err != nil {
		panic(err)
	}
	mapEnv := func(ctx context.Context, o client.Object) []reconcile.Request {
		var l api.PlatformApplicationList
		if err := r.List(ctx, &l, client.InNamespace(o.GetNamespace()), client.MatchingFields{"env": o.GetName()}); err != nil {
			return nil
		}
		var out []reconcile.Request
		for i := range l.Items {
			if l.Items[i].Status.ExternalID == "" {
				out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&l.Items[i])})
			}
		}
		return out
	}
	if err := ctrl.NewControllerManagedBy(m).For(&api.PlatformApplication{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&api.PlatformEnvironment{}, handler.EnqueueRequestsFromMapFunc(mapEnv)).
		WithOptions(controller.Options{MaxConcurrentReconciles: conc, UsePriorityQueue: ptr.To(true)}).Complete(r); err != nil {
		panic(err)
	}
	if err := m.Start(ctx); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
